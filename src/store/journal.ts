import { assert } from '../core/errors.ts'
import type { Invoice } from '../core/invoice.ts'
import {
  ALL_EVENT_TYPES,
  type EventType,
  type Kind,
  kindNumber,
  kindOfNumber,
  type Objects,
} from '../core/kinds.ts'
import type { Blocks } from './blocks.ts'
import { findIndexed } from './damage.ts'
import { EventPreviews } from './event-previews.ts'
import { type EventQuery, filteredEntries, numberAt, type StoredEntry, typeNumber } from './event-query.ts'
import type { Keyframes } from './keyframes.ts'
import { type ListedEntry, listedColumns, withReplaced } from './listed-entry.ts'
import { eventsOfObject, type ObjectEventQuery } from './object-events.ts'
import type { Place } from './place.ts'
import { arg, literal, type Statements } from './statements.ts'

/** Changes of public objects at one instant, to be appended in order. */
export type NewEntries = {
  readonly merchant: number
  readonly created: number
  readonly api_version: number
  readonly request: string | null
  readonly idempotency_key: string | null
  readonly entries: readonly NewEntry[]
}

/** One change of a public object. */
export type NewEntry = {
  readonly kind: Kind
  /** The position of the object, whose row must be written before the entry. */
  readonly place: Place
  /** The seq of the object's previous entry, as `link` returned it; null for its first. */
  readonly previous: number | null
  /** The number of the object's entries, this one included. */
  readonly entryCount: number
  /** Returns the object after the change, for a keyframe. */
  readonly after: () => Objects[Kind]
  /** The values that the change replaced, as JSON; null when it created the object or replaced nothing. */
  readonly replaced: string | null
  /** The event and its running number within the merchant; null for a silent change. */
  readonly event: { readonly type: EventType; readonly number: number } | null
  /** The invoice that the event shows in place of the object. */
  readonly preview?: Invoice | undefined
}

/** A public event as the journal stores it. */
export type EventEntry = {
  readonly seq: number
  readonly merchant: number
  readonly number: number
  readonly type: EventType
  readonly kind: Kind
  readonly object: number
  readonly created: number
  /** In a list, a large value is read each time. */
  readonly replaced: Readonly<Record<string, unknown>> | null
  readonly api_version: number
  readonly request: string | null
  readonly idempotency_key: string | null
  /** In a list: the size of large replaced values, in bytes; 0 for others. */
  readonly left_out?: number
}

/** The maximum number of entries of one statement; each number of entries has a statement of its own. */
const MAX_ENTRIES_PER_STATEMENT = 8

/**
 * The undo log of every public object. A table's row is the current object; each entry holds the values that one change
 * replaced. So the object as of any entry is the current row with all later entries undone (see history.ts). The
 * entries of an object are a chain: each holds the seq of the previous one, and the object's row that of the newest. An
 * entry with a type is a public event. Full copies in each event would take four times the disk space and half the
 * speed.
 */
export class Journal {
  readonly #statements: Statements
  /** The invoices that some events show. */
  readonly previews: EventPreviews
  readonly #keyframes: Keyframes
  readonly #blocks: Blocks
  /** The seq of the next entry; undefined until it is read. */
  #next: number | undefined

  constructor(statements: Statements, keyframes: Keyframes, blocks: Blocks) {
    this.#statements = statements
    this.previews = new EventPreviews(statements)
    this.#keyframes = keyframes
    this.#blocks = blocks
  }

  /** The seq that the next entry will have. */
  get next(): number {
    this.#next ??= this.head(null) + 1
    return this.#next
  }

  /** Must be called when entries were rolled back, deleted or replaced. */
  forgetNext(): void {
    this.#next = undefined
  }

  /** Appends entries. They must be linked to their objects' chains in the same order, from `next` on. */
  append(added: NewEntries): void {
    const { entries } = added
    for (let done = 0; done < entries.length; done += MAX_ENTRIES_PER_STATEMENT) {
      this.#appendTogether(added, entries.slice(done, done + MAX_ENTRIES_PER_STATEMENT))
    }
  }

  #appendTogether(
    { merchant, created, api_version, request, idempotency_key }: NewEntries,
    entries: readonly NewEntry[],
  ): void {
    const values: unknown[] = []
    for (const { kind, place, previous, replaced, event } of entries) {
      const [number, type] = event ? [event.number, typeNumber(event.type)] : [null, null]
      values.push(merchant, number, type, kindNumber(kind), place.seq)
      values.push(created, replaced, api_version, request, idempotency_key, previous)
    }
    const { last } = this.#statements
      .named(`append ${entries.length} to journal`, (db) =>
        // An insert of several rows that can abort has a journal of its own, which takes time for each page that the transaction
        // has changed. A failure ends the command or job, which rolls all rows back.
        db
          .insertInto('journal')
          .orFail()
          .values(
            entries.map(() => ({
              merchant: arg<number>('merchant'),
              number: arg<number | null>('number'),
              type: arg<number | null>('type'),
              kind: arg<number>('kind'),
              object: arg<number>('object'),
              created: arg<number>('created'),
              replaced: arg<string | null>('replaced'),
              api_version: arg<number>('api_version'),
              request: arg<string | null>('request'),
              idempotency_key: arg<string | null>('idempotency_key'),
              previous: arg<number | null>('previous'),
            })),
          ),
      )
      .runWith(...values)
    const first = last - entries.length + 1
    assert(first === this.next, `the next entry has the seq ${this.next}`)
    this.#next = last + 1
    let seq = first
    for (const entry of entries) {
      const { kind, after, preview } = entry
      if (preview) this.previews.add({ entry: seq, merchant }, preview)
      const place = { kind, object: entry.place.seq, merchant, entry: seq, created }
      if (this.#keyframes.isDue(place, entry)) this.#keyframes.add(place, after())
      const type = entry.event ? typeNumber(entry.event.type) : null
      this.#blocks.addedEvent('journal', { seq, merchant, created }, type)
      seq += 1
    }
  }

  /**
   * Returns the running number of a merchant's newest event, or for null the seq of the newest entry; 0 without any.
   */
  head(merchant: number | null): number {
    const statement = this.#statements.named<{ head: number | null }>(
      `journal head ${merchant === null ? 'of all' : 'of one'}`,
      (db) =>
        merchant === null
          ? db.selectFrom('journal').select((eb) => eb.fn.max('seq').as('head'))
          : db
              .selectFrom('journal')
              .select((eb) => eb.fn.max('number').as('head'))
              .where('merchant', '=', arg<number>('merchant')),
    )
    return statement.get({ merchant })?.head ?? 0
  }

  /** Returns the running number of a merchant's newest event up to a place among the events of all; 0 without any. */
  numberAt(merchant: number, placeInAll: number): number {
    return numberAt(this.#statements, this.#blocks, merchant, placeInAll)
  }

  /** Returns the event with this running number of a merchant. */
  event(merchant: number, number: number): EventEntry | undefined {
    const row = findIndexed<StoredEntry>(this.#statements, 'event', 'journal', { merchant, number })
    return row && eventOf(row)
  }

  /** Lists events of one object that match a query. */
  eventsOfObject(query: ObjectEventQuery): EventEntry[] {
    return eventsOfObject({ statements: this.#statements, keyframes: this.#keyframes }, query).map((row) =>
      this.#listed(row),
    )
  }

  /** Lists the events that match a query. */
  events(query: EventQuery): EventEntry[] {
    const isFiltered = query.types.length > 0 || query.created.length > 0
    const rows = isFiltered ? filteredEntries(this.#statements, this.#blocks, query) : this.#unfiltered(query)
    return rows.map((row) => this.#listed(row))
  }

  #listed(row: ListedEntry): EventEntry {
    return withReplaced(this.#statements, row, eventOf(row))
  }

  #unfiltered({ merchant, limit, order, below, above }: EventQuery): ListedEntry[] {
    const isOfAll = merchant === null
    const place = isOfAll ? 'seq' : 'number'
    return this.#statements
      .named<ListedEntry>(
        ['events', isOfAll, order, limit, below === undefined, above === undefined].join(' '),
        (db) => {
          let select = db.selectFrom('journal').select(listedColumns).where('number', 'is not', null)
          if (!isOfAll) select = select.where('merchant', '=', arg<number>('merchant'))
          if (below !== undefined) select = select.where(place, '<', arg<number>('below'))
          if (above !== undefined) select = select.where(place, '>', arg<number>('above'))
          return select.orderBy(place, order === 'newest first' ? 'desc' : 'asc').limit(literal(limit))
        },
      )
      .all({ merchant, below, above })
  }
}

function eventOf(row: StoredEntry | ListedEntry): EventEntry {
  const type = ALL_EVENT_TYPES[row.type ?? -1] as EventType
  const kind = kindOfNumber(row.kind)
  const replaced = row.replaced === null ? null : JSON.parse(row.replaced)
  return { ...row, number: row.number ?? 0, type, kind, replaced }
}
