import { versionsOf } from '../../core/api-version.ts'
import type { Change } from '../../core/change.ts'
import { type ApiError, assert, resourceMissing } from '../../core/errors.ts'
import { type EventType, type Kind, nounOf, type Objects, prefixOf } from '../../core/kinds.ts'
import type { WithoutMetadata } from '../../core/metadata.ts'
import { RULES, type Rules } from '../../core/rules.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { Ids } from './ids.ts'
import type { MerchantState } from './merchant-state.ts'
import { Outbox } from './outbox.ts'
import type { TransactionLog } from './transaction-log.ts'

/** The request that a command serves; null for jobs. */
export type RequestContext = {
  readonly id: string
  readonly idempotency_key: string | null
  /** Whether it is a request of the operator, to which no faults apply. */
  readonly isOperatorRequest?: true
  /** Whether the writes are rolled back in any case: no faults apply. */
  readonly isRehearsal?: true
}

/** The services that all units of an engine share. */
export type UnitServices = {
  readonly store: Store
  readonly ids: Ids
  readonly faults: Faults
  /** The dates of all API versions, oldest first. */
  readonly versions: readonly string[]
  readonly log: TransactionLog
  readonly outbox: Outbox
}

/**
 * A unit of work: a command with its merchant and its emitted events. It runs at one instant, within one savepoint.
 * Objects with a journal are written by `apply` alone; everything else (deliveries, keys, clocks, OAuth) is written by
 * the use case.
 */
export class UnitOfWork {
  readonly store: Store
  readonly ids: Ids
  readonly faults: Faults
  readonly merchant: MerchantState
  readonly request: RequestContext | null
  /** The types of the events emitted so far. */
  readonly events: EventType[] = []

  readonly #services: UnitServices
  readonly #moving: Clock | null
  /** For a rehearsal at another time: Unix seconds at which all its clocks stand; null otherwise. */
  readonly #instant: number | null
  /** Whether another clock than the unit's own is held or stalled. Only then each object's clock is checked. */
  readonly #mayWait: boolean
  /** The number of webhook deliveries that can be sent after the commit. */
  announced = 0

  /**
   * @param given.moving - the clock whose advance the unit is a step of; null for a command
   * @param given.instant - for a rehearsal: the time of its clocks, in Unix seconds; absent for their own
   */
  constructor(
    services: UnitServices,
    given: {
      readonly merchant: MerchantState
      readonly request: RequestContext | null
      readonly moving: Clock | null
      readonly instant?: number | null
    },
  ) {
    this.#services = services
    this.#moving = given.moving
    this.#instant = given.instant ?? null
    const { held, stalled } = given.merchant
    const isOwnHeld = given.moving !== null && held.has(given.moving)
    this.#mayWait = held.size + stalled.size > (isOwnHeld ? 1 : 0)
    this.store = services.store
    this.ids = services.ids
    this.faults = services.faults
    this.merchant = given.merchant
    this.request = given.request
  }

  /** The merchant's ordinal, which its rows have as `merchant`. */
  get owner(): number {
    return this.merchant.settings.ordinal
  }

  /** The facts of the merchant's dialect. */
  get rules(): Rules {
    return RULES[this.merchant.settings.dialect]
  }

  /** Unix seconds on the merchant's main clock. */
  get now(): number {
    return this.merchant.clock.instant
  }

  /** The merchant's default version as an index into all versions. */
  get apiVersion(): number {
    const { dialect, api_version } = this.merchant.settings
    return versionsOf(dialect, this.#services.versions).indexOf(api_version)
  }

  readonly newId = (prefix: string): string => this.ids.next(this.owner, prefix)

  /** Returns the clock that an object follows. @throws ClockHeld while an advance holds it */
  clockOf(testClock: string | null): Clock {
    if (testClock === null) return this.#asRehearsed(this.merchant.clock)
    const clock = this.merchant.testClocks.find(testClock)
    assert(clock, `the clock ${testClock} exists`)
    return this.#asRehearsed(this.free(clock))
  }

  #asRehearsed(clock: Clock): Clock {
    return this.#instant === null ? clock : clock.copyAt(this.#instant)
  }

  /** Returns a clock at whose instant the unit may act. @throws ClockHeld while the advance of another unit holds it */
  free(clock: Clock): Clock {
    const isHeld = clock.target !== null && clock !== this.#moving && !this.merchant.parked.has(clock)
    if (clock.isTest && isHeld) throw new ClockHeld(clock)
    return clock
  }

  /** Registers a clock before the unit moves it. */
  touch(clock: Clock): void {
    const { state } = clock
    this.#services.log.touch(clock)
    this.onRollback(() => clock.restore(state))
  }

  /** Announces a delivery to a webhook endpoint, which is sent after the commit. */
  announce(endpoint: string): void {
    this.announced += 1
    this.#services.outbox.add(endpoint, this.merchant)
  }

  /** Registers how to undo a change in memory when the unit is rolled back; the database rolls back its own rows. */
  onRollback(undo: () => void): void {
    this.#services.log.onRollback(undo)
  }

  /** Registers what to do after the commit; dropped when the unit is rolled back. */
  onCommit(followUp: () => void): void {
    this.#services.log.onCommit(followUp)
  }

  /**
   * Runs work in a unit of its own and rolls back everything that it wrote: rows, ids, deliveries. No faults apply.
   * @param options.at - the time of the clocks during the work, in Unix seconds; by default their own
   */
  rehearse<T>(work: (rehearsal: UnitOfWork) => T, { at = null }: { at?: number | null } = {}): T {
    const { log, store } = this.#services
    const mark = log.mark()
    const resetIds = this.ids.nest()
    try {
      return store.savepoint(() => {
        throw new DryRunResult(work(this.#rehearsalAt(at)))
      })
    } catch (error) {
      resetIds()
      log.rollBackTo(mark, error)
      if (error instanceof DryRunResult) return error.value
      throw error
    }
  }

  /**
   * Makes a decision in a unit of its own at another time. It must not write anything, so nothing is rolled back but the
   * ids that it took. No faults apply.
   * @param at - the time of the clocks, in Unix seconds
   */
  imagine<T>(decide: (imagined: UnitOfWork) => T, at: number): T {
    const { journal } = this.store
    const { next } = journal
    const resetIds = this.ids.nest()
    try {
      return decide(this.#rehearsalAt(at))
    } finally {
      resetIds()
      assert(journal.next === next, 'an imagined decision writes nothing')
    }
  }

  #rehearsalAt(instant: number | null): UnitOfWork {
    return new UnitOfWork(
      { ...this.#services, outbox: new Outbox() },
      {
        merchant: this.merchant,
        request: { id: this.request?.id ?? '', idempotency_key: null, isRehearsal: true },
        moving: this.#moving,
        instant: instant ?? this.#instant,
      },
    )
  }

  /** Returns an object. @throws ClockHeld while an advance holds the clock that the object follows */
  get<K extends Kind>(kind: K, id: string): Objects[K] | undefined {
    const object = this.store.objects.get(kind, this.owner, id)
    if (object && this.#mayWait) this.#waitFor(object)
    return object
  }

  /** Checks the clock of an object. Objects without a `test_clock` follow the clock of their customer. */
  #waitFor(object: Objects[Kind]): void {
    if ('test_clock' in object) this.clockOf(object.test_clock)
    else if ('customer' in object && object.customer !== null) this.get('customer', object.customer)
  }

  /** Returns an object that must exist because another one refers to it. */
  need<K extends Kind>(kind: K, id: string): Objects[K] {
    const object = this.get(kind, id)
    assert(object, `${id} exists`)
    return object
  }

  /** Returns a price or product that must exist because another object refers to it. Long metadata is not read. */
  needWithoutMetadata<K extends 'price' | 'product'>(kind: K, id: string): WithoutMetadata<Objects[K]> {
    const object = this.store.objects.withoutMetadata(kind, this.owner, id)
    assert(object, `${id} exists`)
    return object
  }

  /**
   * Finds an object that a request names.
   * @param param - "id" for a path, else the parameter with the reference
   * @throws ApiError resource_missing
   * See docs/contract/requests.md#references.
   */
  find<K extends Kind>(kind: K, id: string, param = 'id'): Objects[K] {
    const object = this.get(kind, id)
    if (!object || ('deleted' in object && object.deleted)) {
      throw resourceMissing(nounOf(kind), id, param)
    }
    return object
  }

  /** Returns a new id for an object of a kind. */
  idFor(kind: Kind): string {
    return this.newId(prefixOf(kind))
  }
}

/**
 * Thrown when a command needs a clock that is advancing. The command is rolled back, and runs again when the advance
 * has ended. If the advance is stalled, the command is refused.
 */
export class ClockHeld extends Error {
  readonly clock: Clock

  constructor(clock: Clock) {
    super(`an advance holds ${clock.id}`)
    this.clock = clock
  }
}

/**
 * A refusal that rolls everything back except the position in a card's script.
 * See docs/contract/subscriptions.md#payment-behavior.
 */
export class PaymentRefused extends Error {
  readonly error: ApiError
  readonly keptSteps: Change
  /** Further writes after the rollback. */
  readonly afterwards: () => void

  constructor(error: ApiError, remembered: Change, afterwards: () => void = () => undefined) {
    super(error.message)
    this.error = error
    this.keptSteps = remembered
    this.afterwards = afterwards
  }

  /** Returns the same refusal with further writes. */
  alsoWrite(afterwards: () => void): PaymentRefused {
    return new PaymentRefused(this.error, this.keptSteps, afterwards)
  }
}

/** An expected failure of a command without an error of the API. The command is rolled back, and nothing is reported. */
export class CommandRefused extends Error {}

/** The result of a dry run, thrown so that all writes are rolled back. */
export class DryRunResult<T> extends Error {
  readonly value: T

  constructor(value: T) {
    super('dry run')
    this.value = value
  }
}
