import { type Kysely, sql } from 'kysely'
import type { DeliveryStatus, WebhookDelivery } from '../core/webhook.ts'
import type { Blocks } from './blocks.ts'
import { codecOf } from './codec.ts'
import { columnsOf } from './columns.ts'
import { KindTable } from './kind-table.ts'
import type { Filter, Page } from './list-query.ts'
import { Place } from './place.ts'
import { arg, type Cut, literal, type Reader, type Statements } from './statements.ts'
import type { Tables } from './tables.ts'

const COLUMN_NAMES = Object.keys(columnsOf('webhook_delivery'))
const read: Reader<WebhookDelivery> = (values) => codecOf('webhook_delivery').decode(values)

/** A delivery and its seq, which is the order of the events. */
export type QueuedDelivery = { readonly seq: number; readonly delivery: WebhookDelivery }

// Literals: a partial index applies only if its condition is visible in the statement.
const IS_READY = sql<boolean>`is_ready = 1`
const IS_PENDING = sql<boolean>`status = 'pending'`
const IS_WAITING = sql<boolean>`next_attempt is not null`

const discarding = (db: Kysely<Tables>) =>
  db
    .updateTable('webhook_delivery')
    .set({ status: arg<DeliveryStatus>('status'), is_ready: 0, next_attempt: null })

/**
 * The deliveries of events to webhook endpoints. They have no journal: their attempts are their record. Those that are
 * not finished are an outbox, in the order in which they are sent.
 */
export class DeliveryTable {
  readonly #statements: Statements
  /** Deliveries are not cached: the statements below write many of them at once. */
  readonly #rows: KindTable<'webhook_delivery'>

  constructor(statements: Statements, blocks: Blocks) {
    this.#statements = statements
    this.#rows = new KindTable('webhook_delivery', statements, { blocks, objectsKept: 0 })
  }

  /** Returns the delivery with this id; undefined when the merchant has none. */
  get(merchant: number, id: string): WebhookDelivery | undefined {
    return this.#rows.get(merchant, id)
  }

  /** Returns a delivery's seq, which is the order of creation; undefined when the merchant has none with this id. */
  seqOf(merchant: number, id: string): number | undefined {
    return this.#rows.seqOf(merchant, id)
  }

  /** Lists a merchant's deliveries that meet all conditions: newest first, with `before` oldest first. */
  list(merchant: number, filters: readonly Filter[], page: Page): WebhookDelivery[] {
    return this.#rows.lists.all(merchant, filters, page)
  }

  /** Does the same, but ends early if the deliveries would be longer than a page can be. */
  listPage(merchant: number, filters: readonly Filter[], page: Page): Cut<WebhookDelivery> {
    return this.#rows.lists.page(merchant, filters, page)
  }

  insert(merchant: number, delivery: WebhookDelivery): void {
    this.#rows.insert(merchant, delivery, new Place())
  }

  /** Writes the changed fields. */
  update(merchant: number, change: { before: WebhookDelivery; after: WebhookDelivery }): void {
    this.#rows.update(merchant, change, this.#rows.placeOf(merchant, change.after.id))
  }

  /** Returns the seq of the newest delivery of all merchants; 0 if there is none. */
  newestSeq(): number {
    const newest = this.#statements
      .named<{ seq: number | null }>('newest delivery', (db) =>
        db.selectFrom('webhook_delivery').select((eb) => eb.fn.max('seq').as('seq')),
      )
      .get({})
    return newest?.seq ?? 0
  }

  /** Returns an endpoint's next delivery without an attempt, after a seq. */
  nextNew(endpoint: string, after: number): QueuedDelivery | undefined {
    return this.#statements
      .named<QueuedDelivery>(
        'next new delivery',
        (db) =>
          db
            .selectFrom('webhook_delivery' as 'object')
            .select([...COLUMN_NAMES, 'seq'])
            .where('endpoint', '=', arg<string>('endpoint'))
            .where(IS_READY)
            .where('attempt_count', '=', 0)
            .where('seq', '>', arg<number>('after'))
            .orderBy('seq')
            .limit(literal(1)),
        (values) => ({ seq: values[COLUMN_NAMES.length] as number, delivery: read(values) }),
      )
      .get({ endpoint, after })
  }

  /** Lists deliveries of an endpoint whose retry can be sent now. */
  readyRetries(endpoint: string, limit: number): WebhookDelivery[] {
    return this.#statements
      .named<WebhookDelivery>(
        `${limit} deliveries to try again`,
        (db) =>
          db
            .selectFrom('webhook_delivery' as 'object')
            .select(COLUMN_NAMES)
            .where('endpoint', '=', arg<string>('endpoint'))
            .where(IS_READY)
            .where('attempt_count', '>', 0)
            .limit(literal(limit)),
        read,
      )
      .all({ endpoint })
  }

  /** Lists the ids of an endpoint's deliveries that wait for a retry, oldest first. */
  waitingRetries(endpoint: string): string[] {
    return this.#statements
      .named<{ id: string }>('waiting deliveries', (db) =>
        db
          .selectFrom('webhook_delivery')
          .select('id')
          .where('endpoint', '=', arg<string>('endpoint'))
          .where(IS_PENDING)
          .where(IS_WAITING)
          .orderBy('seq'),
      )
      .all({ endpoint })
      .map(({ id }) => id)
  }

  /** Makes all deliveries of an endpoint that wait for a retry ready now. */
  readyWaiting(endpoint: string): void {
    this.#statements
      .named('wake deliveries', (db) =>
        db
          .updateTable('webhook_delivery')
          .set({ is_ready: 1, next_attempt: null })
          .where('endpoint', '=', arg<string>('endpoint'))
          .where(IS_PENDING)
          .where(IS_WAITING),
      )
      .run({ endpoint })
  }

  /** Discards all pending deliveries of one endpoint, or of all for null. */
  discard(endpoint: string | null, status: DeliveryStatus): void {
    // A pending delivery is either ready or waiting. Each has an index, which finds it among many finished ones.
    for (const [name, condition] of [
      ['ready', IS_READY],
      ['waiting', IS_WAITING],
    ] as const) {
      this.#statements
        .named(`discard ${endpoint === null ? 'all ' : ''}${name} deliveries`, (db) => {
          const discard = discarding(db).where(IS_PENDING).where(condition)
          return endpoint === null ? discard : discard.where('endpoint', '=', arg<string>('endpoint'))
        })
        .run({ endpoint, status })
    }
  }

  /** Reports whether an event was sent to an endpoint that has not accepted it and gets it again. */
  isRefused(event: string): boolean {
    const row = this.#statements
      .named<{ id: string }>('refused deliveries of an event', (db) =>
        db
          .selectFrom('webhook_delivery')
          .select('id')
          .where('event', '=', arg<string>('event'))
          .where(IS_PENDING)
          .where('attempt_count', '>', 0)
          .limit(literal(1)),
      )
      .get({ event })
    return row !== undefined
  }

  /** Counts the pending deliveries of an event. */
  pendingCount(event: string): number {
    const row = this.#statements
      .named<{ count: number }>('pending deliveries of an event', (db) =>
        db
          .selectFrom('webhook_delivery')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('event', '=', arg<string>('event'))
          .where(IS_PENDING),
      )
      .get({ event })
    return row?.count ?? 0
  }

  /** Counts the pending deliveries of each of these events. Events without any are left out. */
  pendingCounts(events: readonly string[]): ReadonlyMap<string, number> {
    const rows = this.#statements
      .named<{ event: string; count: number }>('pending deliveries of events', (db) =>
        db
          .selectFrom('webhook_delivery')
          .select((eb) => ['event', eb.fn.countAll<number>().as('count')])
          .where(sql<boolean>`event in (select value from json_each(${arg('events')}))`)
          .where(IS_PENDING)
          .groupBy('event'),
      )
      .all({ events: JSON.stringify(events) })
    return new Map(rows.map(({ event, count }) => [event, count]))
  }

  /** Lists the endpoints with deliveries that can be sent now, each with its merchant's ordinal. */
  endpointsWithReady(): { endpoint: string; merchant: number }[] {
    return this.#statements
      .named<{ endpoint: string; merchant: number }>('endpoints with ready deliveries', (db) => ({
        // Each endpoint is looked up after the one before: an endpoint can have a million of these deliveries.
        compile: () =>
          sql`with recursive found (endpoint) as (
              select min(endpoint) from webhook_delivery where ${IS_READY}
              union all
              select (select min(endpoint) from webhook_delivery where ${IS_READY} and endpoint > found.endpoint)
              from found where found.endpoint is not null)
            select endpoint, (select merchant from webhook_delivery
              where ${IS_READY} and webhook_delivery.endpoint = found.endpoint limit 1) as merchant
            from found where endpoint is not null`.compile(db),
      }))
      .all({})
  }
}
