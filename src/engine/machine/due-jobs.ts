import { discountIdsOf } from '../../core/billing/discounting.ts'
import type { JobKind } from '../../core/jobs.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import type { QueuedJob } from '../../store/jobs.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from './clock.ts'

/** The maximum number of objects of a kind that are loaded at once: 64 subscriptions may have thousands of discounts. */
const MAX_OBJECTS = 1_000

/**
 * The due jobs of an advance, one by one. The objects that their decisions read are loaded for many jobs at once: one
 * statement a table instead of one an object. Loading only fills the cache; a decision reads each object when it runs.
 */
export class DueJobs {
  readonly #store: Store
  readonly #clock: Clock
  /** The objects of the jobs whose objects were loaded. */
  readonly #prepared = new Set<string>()
  #isBatchOver = false

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Returns the next due job; undefined when there is none. It stays in the queue until it has run.
   * @param target - Unix seconds; jobs up to this instant are due
   */
  next(target: number): QueuedJob | undefined {
    const { jobs } = this.#store
    const job = jobs.first(this.#clock.seq)
    if (!job || job.due > target) return undefined
    if (!this.#prepared.has(job.object) || !jobs.holds(this.#clock.seq)) this.#prepare(job.merchant, target)
    return job
  }

  /**
   * Ends a batch. The objects in memory are dropped when the next ones are loaded: until then, the next batch uses those of
   * the jobs that were prepared and have not run. Keeping the objects of past jobs longer would cost more garbage collection
   * than reading the few that are needed again.
   */
  endBatch(): void {
    this.#isBatchOver = true
  }

  #prepare(merchant: number, target: number): void {
    if (this.#isBatchOver) {
      this.#store.objects.forget()
      this.#prepared.clear()
      this.#isBatchOver = false
    }
    const jobs = this.#store.jobs
      .firstFew(this.#clock.seq)
      .filter((job) => job.due <= target && job.merchant === merchant)
    for (const { object } of jobs) this.#prepared.add(object)
    const subscriptions = this.#load(
      'subscription',
      merchant,
      jobs.map(({ subscription }) => subscription),
    )
    const invoices = this.#load('invoice', merchant, jobs.map(invoiceOf))
    const customers = this.#load(
      'customer',
      merchant,
      [...subscriptions, ...invoices].map(({ customer }) => customer),
    )
    this.#store.objects.expect({
      customers: customers.map(({ id }) => id),
      subscriptions: subscriptions.filter((each) => each.has_pending_items).map(({ id }) => id),
    })
    this.#load(
      'payment_intent',
      merchant,
      invoices.map(({ payment_intent }) => payment_intent),
    )
    const payers = [...subscriptions, ...customers]
    const methods = payers.flatMap(({ default_payment_method }) => default_payment_method ?? [])
    // Jobs that charge nothing do not ask for them.
    this.#store.objects.loadWhenAsked('payment_method', merchant, [...new Set(methods)])
    this.#load('discount', merchant, [
      ...subscriptions.flatMap(discountIdsOf),
      ...customers.map(({ discount }) => discount),
    ])
    this.#load(
      'price',
      merchant,
      subscriptions.flatMap(({ items }) => items.map(({ price }) => price)),
    )
  }

  /**
   * @param ids - null for an absent reference
   * @returns the objects in memory. A decision reads large ones itself, and all if there are too many for one step
   */
  #load<K extends Kind>(kind: K, merchant: number, ids: readonly (string | null)[]): Objects[K][] {
    const wanted = [...new Set(ids)].filter((id) => id !== null)
    return wanted.length > MAX_OBJECTS ? [] : this.#store.objects.load(kind, merchant, wanted)
  }
}

const OF_INVOICES: readonly JobKind[] = [
  'payment_retry',
  'invoice_due',
  'invoice_will_be_due',
  'invoice_overdue',
  'invoice_finalization',
]

const invoiceOf = ({ kind, object }: QueuedJob): string | null => (OF_INVOICES.includes(kind) ? object : null)
