import type { Interval } from './model-calendar.ts'
import type { AmountOff, Code, Coupon, Discount, Off } from './model-discount.ts'
import type { Dispute } from './model-dispute.ts'
import type { Charge, CreditNote, Intent, Refund } from './model-money.ts'
import type { NoticeDays } from './model-notices.ts'
import type { Pending } from './model-pending.ts'
import type { Schedule } from './model-schedule.ts'
import type { Meter, MeterEvent, Tier } from './model-usage.ts'

/**
 * The independent model's state of a merchant. Plain values, so that a snapshot is a copy. Objects have keys such as
 * `sub3`; the model does not use paytwin's ids.
 */
export type Merchant = {
  /** Unix seconds; null stands for the main clock where a test clock is expected. */
  now: number
  readonly clocks: { readonly key: string; now: number; isDeleted: boolean }[]
  finalAction: 'cancel' | 'mark_unpaid' | 'leave_past_due'
  notices: NoticeDays
  readonly customers: Customer[]
  readonly methods: Method[]
  readonly prices: Price[]
  items: InvoiceItem[]
  /** The subscriptions of which prorations were deleted by hand. */
  readonly shortened: string[]
  readonly subscriptions: Subscription[]
  readonly schedules: Schedule[]
  readonly invoices: Invoice[]
  readonly intents: Intent[]
  readonly charges: Charge[]
  readonly refunds: Refund[]
  readonly notes: CreditNote[]
  readonly disputes: Dispute[]
  readonly products: string[]
  readonly coupons: Coupon[]
  readonly codes: Code[]
  readonly discounts: Discount[]
  readonly meters: Meter[]
  readonly meterEvents: MeterEvent[]
  readonly counters: Record<string, number>
  /** The order in which the jobs of each object were planned. */
  readonly plans: Map<string, number>
}

/** Faults are not part of snapshots. See docs/contract/snapshots.md#contents. */
export type Fault = { readonly kind: 'decline' | 'processor_timeout'; remaining: number }

export type Customer = {
  readonly key: string
  readonly clock: string | null
  defaultMethod: string | null
  discount: string | null
  isDeleted: boolean
  numbersGiven: number
  /** By currency, the oldest one first. */
  readonly balances: Record<string, number>
  readonly transactions: Transaction[]
}

export type Transaction = {
  readonly type: 'adjustment' | 'applied_to_invoice' | 'unapplied_from_invoice' | 'credit_note'
  readonly amount: number
  readonly currency: string
  readonly ending: number
  readonly invoice: string | null
}

export type Method = {
  readonly key: string
  customer: string | null
  readonly behaviour: Behaviour
  /** null for a card without a script. */
  script: { outcomes: string[]; readonly then: string } | null
}
/** The behaviour of a card without a script: see docs/contract/payments.md#test-payment-methods. */
export type Behaviour = 'succeeds' | 'declines' | 'refund fails' | 'is disputed'

export type Price = Interval & {
  readonly key: string
  readonly amount: number
  readonly product: string | null
  /** null for a price of a quantity. */
  readonly meter: string | null
  readonly tiers: readonly Tier[] | null
  readonly tiersMode: 'graduated' | 'volume' | null
}

export type InvoiceItem = {
  readonly key: string
  readonly customer: string
  /** Whether it was created on its invoice, rather than pending before. */
  readonly isOwn: boolean
  amount: number
  invoice: string | null
  readonly subscription: string | null
  /** The time of which item it corrects; null unless it is a proration. */
  readonly bills: Billed | null
  discounts: string[]
  isDiscountable: boolean
  readonly price: string | null
}

/** The time of an item that a line bills, or credits if its amount is negative. */
export type Billed = {
  readonly item: string
  /** The number of the subscription's period, which is never used again. */
  readonly cycle: number
  readonly start: number
  readonly end: number
  /** Whether it bills the usage in that time. */
  readonly isUsage?: true
}

export type Line = {
  amount: number
  readonly bills: Billed | null
  /** The invoice item that it shows. */
  readonly from: string | null
  readonly price: string | null
  /** Its own discounts. */
  discounts: string[]
  isDiscountable: boolean
  off: readonly Off[]
  /** The billed usage in thousandths. */
  usage?: number
}

/** The quantity of a metered price is 0. Its usage counts since an instant within the period. */
export type Item = {
  readonly key: string
  price: string
  quantity: number
  isMetered: boolean
  since: number
}

export type Status =
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled'

export type Subscription = {
  readonly key: string
  readonly customer: string
  readonly created: number
  status: Status
  collection: 'charge_automatically' | 'send_invoice'
  daysUntilDue: number | null
  method: string | null
  items: Item[]
  discounts: string[]
  /** By item. */
  readonly itemDiscounts: Record<string, string[]>
  /** What discounts of an amount take off in the current period. */
  amountsOff: readonly AmountOff[]
  anchor: number
  /** The current period ends at the anchor and one interval more than so many. */
  period: number
  /** Counts the periods, also those before a change of the anchor. */
  cycle: number
  /** The last number of a period, also of one that a pending update would have begun. */
  lastCycle: number
  pending: Pending | null
  start: number
  end: number
  trialStart: number | null
  trialEnd: number | null
  readonly missing: 'create_invoice' | 'pause' | 'cancel'
  cancelAt: number | null
  cancelAtPeriodEnd: boolean
  canceledAt: number | null
  endedAt: number | null
  reason: string | null
  pause: {
    readonly behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void'
    readonly resumes_at: number | null
  } | null
  latest: string | null
  /** The newest finalized invoice, shown as the latest or not, except for those of a pause. */
  newest: string | null
  /** When the notices of the period come; null for none. */
  upcomingAt: number | null
  trialNoticeAt: number | null
  description: string | null
  /** The schedule that manages it, or managed it until its end. */
  schedule: string | null
}

export type Invoice = {
  readonly key: string
  readonly customer: string
  readonly subscription: string | null
  readonly created: number
  lines: Line[]
  /** The discounts of lines without their own. */
  discounts: string[]
  /** The balance before and after the finalization; `after` is null for a draft. */
  balance: { readonly before: number; readonly after: number | null }
  /** What credit notes took off the amount due, and gave back. */
  credited: { pre: number; post: number }
  readonly reason: string
  readonly collection: 'charge_automatically' | 'send_invoice'
  readonly daysUntilDue: number | null
  readonly start: number
  readonly end: number
  status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible' | 'deleted'
  number: number | null
  attempts: number
  attempted: boolean
  /** When the renewal failed; the days of the retries count from here. */
  failedAt: number | null
  next: number | null
  dueDate: number | null
  /** Whether its due date has passed while it was open. */
  isOverdue: boolean
  willBeDueAt: number | null
  overdueAt: number | null
  intent: string | null
  charge: string | null
  finalizedAt: number | null
  paidAt: number | null
  voidedAt: number | null
  uncollectibleAt: number | null
}

/** Returns an unused key. */
export function newKey(merchant: Merchant, prefix: string): string {
  const count = (merchant.counters[prefix] ?? 0) + 1
  merchant.counters[prefix] = count
  const key = `${prefix}${count}`
  planAnew(merchant, { key })
  return key
}

/** Plans the jobs of an object after all others of the same second. See docs/contract/clocks.md#order-of-jobs. */
export function planAnew({ counters, plans }: Merchant, { key }: { readonly key: string }): void {
  const count = (counters.plan ?? 0) + 1
  counters.plan = count
  plans.set(key, count)
}

/** Returns the object with a key, which must exist. */
export function named<Kind extends { readonly key: string }>(objects: readonly Kind[], key: string): Kind {
  const found = objects.find((object) => object.key === key)
  if (!found) throw new Error(`the model has no ${key}`)
  return found
}

/** Returns the clock of an object: that of its customer, if it has one. See docs/contract/clocks.md#test-clocks. */
export function nowOf(merchant: Merchant, customer: string | null): number {
  const clock = customer === null ? null : named(merchant.customers, customer).clock
  return clock === null ? merchant.now : named(merchant.clocks, clock).now
}

export const isEnded = ({ status }: Subscription): boolean =>
  status === 'canceled' || status === 'incomplete_expired'

/** Moves a script on, even if the attempt is rolled back. See docs/contract/payments.md#scripted-cards. */
export function keepScripts(before: Merchant, after: Merchant): Merchant {
  for (const method of before.methods) method.script = named(after.methods, method.key).script
  return before
}
