import { type Kysely, sql } from 'kysely'
import type { DeliveryStatus, WebhookDelivery } from '../core/webhook.ts'
import { codecOf } from './codec.ts'
import { COLUMNS } from './columns.ts'
import { arg, literal, type Reader, type Statements } from './statements.ts'
import type { Tables } from './tables.ts'

const COLUMN_NAMES = Object.keys(COLUMNS.webhook_delivery)
const read: Reader<WebhookDelivery> = (values) => codecOf('webhook_delivery').decode(values)

/** A delivery and its place in the order in which the events came. */
export type QueuedDelivery = { readonly seq: number; readonly delivery: WebhookDelivery }

// The conditions below are literals: with parameters SQLite would not know that the partial indexes apply.
const IS_READY = sql<boolean>`is_ready = 1`
const IS_PENDING = sql<boolean>`status = 'pending'`
const IS_WAITING = sql<boolean>`next_attempt is not null`

const discarding = (db: Kysely<Tables>) =>
  db
    .updateTable('webhook_delivery')
    .set({ status: arg<DeliveryStatus>('status'), is_ready: 0, next_attempt: null })

/** The outbox: what is on its way to endpoints, as those look at it who send it. */
export class DeliveryQueue {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** The next delivery of an endpoint that was never tried, after a place. */
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

  /** Deliveries of an endpoint that were tried before and are to go out again now. */
  again(endpoint: string, limit: number): WebhookDelivery[] {
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

  /** The ids of an endpoint's deliveries that wait to be tried again, oldest first. */
  waiting(endpoint: string): string[] {
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

  /** Lets all deliveries of an endpoint that wait to be tried again go out now. */
  wake(endpoint: string): void {
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

  /** Takes back what is not over, be it on its way or waiting: of one endpoint, or of all. */
  discard(endpoint: string | null, status: DeliveryStatus): void {
    if (endpoint === null) {
      this.#statements
        .named('discard all deliveries', (db) => discarding(db).where(IS_PENDING))
        .run({ status })
      return
    }
    // What is pending is either to go out now or waits: by both it is found among very many that are over.
    for (const [name, isSo] of [
      ['ready', IS_READY],
      ['waiting', IS_WAITING],
    ] as const) {
      this.#statements
        .named(`discard ${name} deliveries`, (db) =>
          discarding(db).where('endpoint', '=', arg<string>('endpoint')).where(IS_PENDING).where(isSo),
        )
        .run({ endpoint, status })
    }
  }

  /** How many deliveries of an event are not over. */
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

  /** The endpoints for which something is to go out now, each with its merchant's ordinal. */
  endpointsWithReady(): { endpoint: string; merchant: number }[] {
    return this.#statements
      .named<{ endpoint: string; merchant: number }>('endpoints with ready deliveries', (db) =>
        db.selectFrom('webhook_delivery').select(['endpoint', 'merchant']).where(IS_READY).distinct(),
      )
      .all({})
  }
}
