import { type Change, ID_PREFIXES, type Kind, type Objects } from '../core/change.ts'
import { type ApiError, assert, resourceMissing } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { Ids } from './ids.ts'
import type { MerchantState } from './merchant-state.ts'
import type { Outbox } from './outbox.ts'
import type { TransactionLog } from './transaction-log.ts'

/** The request that a command serves; null for what the clock does. */
export type RequestContext = {
  readonly id: string
  readonly idempotency_key: string | null
  /** Whether the operator asks, whom no fault strikes. */
  readonly isOperators?: true
}

/** What all units of an engine share. */
export type UnitServices = {
  readonly store: Store
  readonly ids: Ids
  readonly faults: Faults
  /** The dates of all API versions, oldest first. */
  readonly versions: readonly string[]
  readonly log: TransactionLog
  readonly outbox: Outbox
}

/** Names of kinds for people. */
const NOUNS: Readonly<Record<Kind, string>> = {
  customer: 'customer',
  product: 'product',
  price: 'price',
  payment_method: 'payment method',
  subscription: 'subscription',
  invoice: 'invoice',
  payment_intent: 'payment intent',
  charge: 'charge',
  refund: 'refund',
  invoice_item: 'invoice item',
  webhook_endpoint: 'webhook endpoint',
  webhook_delivery: 'webhook delivery',
}

/**
 * A command under way: what it may read, and what it has told. All of it happens at one instant, within one savepoint.
 * What the journal tells is written by `apply` alone; what has no history (deliveries, keys, clocks, OAuth) is written
 * by the use case itself.
 */
export class Unit {
  readonly store: Store
  readonly ids: Ids
  readonly faults: Faults
  readonly merchant: MerchantState
  readonly request: RequestContext | null
  /** The events that the unit has told so far. */
  readonly events: EventType[] = []

  readonly #versions: readonly string[]
  readonly #moving: Clock | null
  readonly #log: TransactionLog
  readonly #outbox: Outbox
  /** Whether another clock than the unit's own is held or stalled: seldom, and then it is worth looking which. */
  readonly #mayWait: boolean
  /** How many webhook deliveries are to go out when the unit is committed. */
  announced = 0

  /** @param given.moving - the clock whose advance the unit is a step of; null for a command */
  constructor(
    services: UnitServices,
    given: {
      readonly merchant: MerchantState
      readonly request: RequestContext | null
      readonly moving: Clock | null
    },
  ) {
    this.#versions = services.versions
    this.#log = services.log
    this.#outbox = services.outbox
    this.#moving = given.moving
    const { held, stalled } = given.merchant
    const isOwnHeld = given.moving !== null && held.has(given.moving)
    this.#mayWait = held.size + stalled.size > (isOwnHeld ? 1 : 0)
    this.store = services.store
    this.ids = services.ids
    this.faults = services.faults
    this.merchant = given.merchant
    this.request = given.request
  }

  /** The merchant's ordinal, by which its rows are known. */
  get owner(): number {
    return this.merchant.settings.ordinal
  }

  /** Unix seconds on the merchant's main clock. */
  get now(): number {
    return this.merchant.clock.instant
  }

  /** The merchant's default version as the journal numbers it. */
  get apiVersion(): number {
    return this.#versions.indexOf(this.merchant.settings.api_version)
  }

  readonly newId = (prefix: string): string => this.ids.next(this.owner, prefix)

  /** The clock that an object follows. @throws ClockHeld while an advance holds it */
  clockOf(testClock: string | null): Clock {
    if (testClock === null) return this.merchant.clock
    const clock = this.merchant.testClocks.find(testClock)
    assert(clock, `the clock ${testClock} is there`)
    return this.free(clock)
  }

  /** A clock at whose instant the unit may act. @throws ClockHeld while an advance of another one holds it */
  free(clock: Clock): Clock {
    const isHeld = clock.target !== null && clock !== this.#moving && !this.merchant.parked.has(clock)
    if (clock.isTest && isHeld) throw new ClockHeld(clock)
    return clock
  }

  /** Takes note of a clock before the unit moves it. */
  touch(clock: Clock): void {
    const { state } = clock
    this.#log.touch(clock)
    this.onRollback(() => clock.putBack(state))
  }

  /** Notes that something is to go out to a webhook endpoint, once all is committed. */
  announce(endpoint: string): void {
    this.announced += 1
    this.#outbox.add(endpoint, this.merchant)
  }

  /** Registers how to undo a change in memory when the unit is rolled back; the database rolls back its own rows. */
  onRollback(undo: () => void): void {
    this.#log.onRollback(undo)
  }

  /** @throws ClockHeld while an advance holds the clock that the object follows: nobody acts in its middle */
  get<K extends Kind>(kind: K, id: string): Objects[K] | undefined {
    const object = this.store.objects.get(kind, this.owner, id)
    if (object && this.#mayWait) this.#waitFor(object)
    return object
  }

  /** Objects that name no clock follow that of their customer. */
  #waitFor(object: Objects[Kind]): void {
    if ('test_clock' in object) this.clockOf(object.test_clock)
    else if ('customer' in object && object.customer !== null) this.get('customer', object.customer)
  }

  /** An object that must be there, since another one speaks of it. */
  need<K extends Kind>(kind: K, id: string): Objects[K] {
    const object = this.get(kind, id)
    assert(object, `${id} is there`)
    return object
  }

  /**
   * An object that the caller names.
   * @param param - "id" for a path, else the parameter that holds the reference
   * @throws ApiError resource_missing
   * See docs/contract/requests.md#references.
   */
  find<K extends Kind>(kind: K, id: string, param = 'id'): Objects[K] {
    const object = this.get(kind, id)
    if (!object || ('deleted' in object && object.deleted)) {
      throw resourceMissing(NOUNS[kind], id, param)
    }
    return object
  }

  /** A new id for an object of a kind. */
  idFor(kind: Kind): string {
    return this.newId(ID_PREFIXES[kind])
  }
}

/**
 * A command needs a clock that is advancing. The command is rolled back, and runs again when the advance has ended; if the
 * advance is stalled, the command is refused.
 */
export class ClockHeld extends Error {
  readonly clock: Clock

  constructor(clock: Clock) {
    super(`an advance holds ${clock.id}`)
    this.clock = clock
  }
}

/**
 * A refusal that takes everything back but what the card processor remembers of the attempt.
 * See docs/contract/subscriptions.md#payment-behavior.
 */
export class RefusedAfterAttempt extends Error {
  readonly error: ApiError
  readonly remembered: Change
  /** What else is to be written after everything was taken back. */
  readonly afterwards: () => void

  constructor(error: ApiError, remembered: Change, afterwards: () => void = () => undefined) {
    super(error.message)
    this.error = error
    this.remembered = remembered
    this.afterwards = afterwards
  }

  /** The same refusal, with something else to be written. */
  andThen(afterwards: () => void): RefusedAfterAttempt {
    return new RefusedAfterAttempt(this.error, this.remembered, afterwards)
  }
}

/** What a command that is only tried has found out: all that it wrote is taken back. */
export class Rehearsed<T> extends Error {
  readonly value: T

  constructor(value: T) {
    super('only tried')
    this.value = value
  }
}
