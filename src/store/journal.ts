import type { Kind, Objects } from '../core/change.ts'
import { EVENT_TYPES, type EventType } from '../core/event.ts'
import type { ObjectTable } from './objects.ts'
import { arg, literal, type Statements } from './statements.ts'
import { type JournalRow, KINDS } from './tables.ts'

/** One change of a public object, to be appended. */
export type NewEntry = {
  readonly merchant: number
  readonly kind: Kind
  /** The object's seq. */
  readonly object: number
  readonly created: number
  /** The values that the change replaced; null when it made the object or replaced nothing. */
  readonly replaced: Readonly<Record<string, unknown>> | null
  /** The event that tells of the change and its running number within the merchant; null for a silent change. */
  readonly event: { readonly type: EventType; readonly number: number } | null
  readonly api_version: number
  readonly request: string | null
  readonly idempotency_key: string | null
}

/** A public event as it stands in the journal. */
export type EventEntry = {
  readonly seq: number
  readonly merchant: number
  readonly number: number
  readonly type: EventType
  readonly kind: Kind
  readonly object: number
  readonly created: number
  readonly replaced: Readonly<Record<string, unknown>> | null
  readonly api_version: number
  readonly request: string | null
  readonly idempotency_key: string | null
}

export type EventQuery = {
  /** null for the events of all merchants. */
  readonly merchant: number | null
  /** Empty for all types. */
  readonly types: readonly EventType[]
  readonly created: readonly { readonly compare: '=' | '>' | '>=' | '<' | '<='; readonly to: number }[]
  readonly limit: number
  /** Between which the events lie, both exclusive: running numbers of the merchant, or journal seqs for all merchants. */
  readonly below?: number | undefined
  readonly above?: number | undefined
  readonly order: 'newest first' | 'oldest first'
}

const KIND_NUMBER = new Map(KINDS.map((kind, index) => [kind, index]))
const TYPE_NUMBER = new Map(EVENT_TYPES.map((type, index) => [type, index]))

/**
 * The undo log of every public object. A table's row is the object now; each entry here holds what one change replaced,
 * so that the object as of any entry is the current row with all later entries undone. An entry with a type is a public
 * event. Full copies in each event would cost four times the disk and half the speed.
 */
export class Journal {
  readonly #statements: Statements
  readonly #objects: ObjectTable

  constructor(statements: Statements, objects: ObjectTable) {
    this.#statements = statements
    this.#objects = objects
  }

  append(entry: NewEntry): void {
    this.#statements
      .named('append journal', (db) =>
        db.insertInto('journal').values({
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
        }),
      )
      .run({
        merchant: entry.merchant,
        number: entry.event?.number ?? null,
        type: entry.event ? TYPE_NUMBER.get(entry.event.type) : null,
        kind: KIND_NUMBER.get(entry.kind),
        object: entry.object,
        created: entry.created,
        replaced: entry.replaced && JSON.stringify(entry.replaced),
        api_version: entry.api_version,
        request: entry.request,
        idempotency_key: entry.idempotency_key,
      })
  }

  /** The running number of a merchant's newest event, or for null the seq of the newest entry; 0 when there is none. */
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

  /** The event with this running number of a merchant. */
  event(merchant: number, number: number): EventEntry | undefined {
    const row = this.#statements
      .named<JournalRow & { seq: number }>('event', (db) =>
        db
          .selectFrom('journal')
          .selectAll()
          .where('merchant', '=', arg<number>('merchant'))
          .where('number', '=', arg<number>('number')),
      )
      .get({ merchant, number })
    return row && eventOf(row)
  }

  /** The events that a query asks for. */
  events(query: EventQuery): EventEntry[] {
    const types = query.types.map((type) => TYPE_NUMBER.get(type) ?? -1).sort((a, b) => a - b)
    const shape = [
      query.order,
      query.limit,
      query.merchant === null ? '' : 'merchant',
      types.join(','),
      ...query.created.map(({ compare }) => compare),
      query.below === undefined ? '' : 'below',
      query.above === undefined ? '' : 'above',
    ]
    const statement = this.#statements.named<JournalRow & { seq: number }>(
      `events ${shape.join('|')}`,
      (db) => {
        let select = db.selectFrom('journal').selectAll().where('number', 'is not', null)
        if (query.merchant !== null) select = select.where('merchant', '=', arg<number>('merchant'))
        if (types.length > 0) select = select.where('type', 'in', types)
        query.created.forEach(({ compare }, index) => {
          select = select.where('created', compare, arg<number>(`created ${index}`))
        })
        const place = query.merchant === null ? 'seq' : 'number'
        if (query.below !== undefined) select = select.where(place, '<', arg<number>('below'))
        if (query.above !== undefined) select = select.where(place, '>', arg<number>('above'))
        return select
          .orderBy(place, query.order === 'newest first' ? 'desc' : 'asc')
          .limit(literal(query.limit))
      },
    )
    const created = Object.fromEntries(query.created.map(({ to }, index) => [`created ${index}`, to]))
    const { merchant, below, above } = query
    return statement.all({ merchant, below, above, ...created }).map(eventOf)
  }

  /** An object as it was right after the given journal entry. */
  asOf<K extends Kind>(kind: K, object: number, seq: number): Objects[K] {
    const number = KIND_NUMBER.get(kind) ?? -1
    const later = this.#statements
      .named<{ replaced: string }>(`later entries ${kind}`, (db) =>
        db
          .selectFrom('journal')
          .select('replaced')
          .where('kind', '=', literal(number))
          .where('object', '=', arg<number>('object'))
          .where('seq', '>', arg<number>('seq'))
          .where('replaced', 'is not', null)
          .orderBy('seq', 'desc'),
      )
      .all({ object, seq })
    const current = this.#objects.at(kind, object)
    return Object.assign(current, ...later.map(({ replaced }) => JSON.parse(replaced)))
  }
}

function eventOf(row: JournalRow & { seq: number }): EventEntry {
  const type = EVENT_TYPES[row.type ?? -1] as EventType
  const kind = KINDS[row.kind] as Kind
  const replaced = row.replaced === null ? null : JSON.parse(row.replaced)
  return { ...row, number: row.number ?? 0, type, kind, replaced }
}
