import { changePlan } from '../../core/billing/change-plan.ts'
import type { Collected } from '../../core/billing/collect.ts'
import { itemsOfDiscarded } from '../../core/billing/pending-update.ts'
import { cancelNow } from '../../core/billing/settlement.ts'
import type { Change } from '../../core/change.ts'
import { invalidStateTransition, parameterInvalid } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import { netAmount } from '../../core/invoice-line.ts'
import { isBilled } from '../../core/invoice-status.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { BilledLine, ProrationBehavior } from '../../core/proration.ts'
import { intervalOf, type Prices, type Subscription } from '../../core/subscription.ts'
import { factsOf, isRunning } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { laterPendingItemsOf, loadAccount, loadEndingAccount } from './account.ts'

/** The parameters of an update that say how a change within a period is billed. */
export type ProrationParams = {
  proration_behavior?: ProrationBehavior | undefined
  proration_date?: number | undefined
  billing_cycle_anchor?: 'now' | 'unchanged' | undefined
  /** Whether the customer is absent and cannot authenticate a payment. */
  off_session?: boolean | undefined
}

/**
 * Checks the parameters of a proration.
 * @throws ApiError parameter_invalid, param proration_date; invalid_state_transition, param status
 * See docs/contract/proration.md#changing-a-plan.
 */
export function checkProration(
  subscription: Subscription,
  { proration_behavior = 'none', proration_date, billing_cycle_anchor }: ProrationParams,
): void {
  const { current_period_start, current_period_end } = subscription
  if (proration_date !== undefined) {
    const refuse = (why: string) => parameterInvalid('proration_date', `proration_date ${why}`)
    if (proration_behavior === 'none')
      throw refuse('needs a proration_behavior of create_prorations or always_invoice')
    if (proration_date < current_period_start || proration_date > current_period_end) {
      throw refuse(`must be within the current period, from ${current_period_start} to ${current_period_end}`)
    }
  }
  const { isBilled: isPeriodBilled, collectsRenewals } = factsOf(subscription)
  if (billing_cycle_anchor === 'now' && !(isPeriodBilled && collectsRenewals)) {
    throw invalidStateTransition(
      `A subscription whose status is ${subscription.status} cannot begin a new period`,
    )
  }
}

/**
 * Reports whether an update bills something within the current period: it begins a new one, it prorates a change of items, or it
 * is `always_invoice` while items wait, also if the subscription's items stay the same.
 * See docs/contract/proration.md#changing-a-plan.
 */
export function changesPlan(
  before: Subscription,
  after: Subscription,
  { proration_behavior = 'none', billing_cycle_anchor }: ProrationParams,
): boolean {
  if (!factsOf(before).isBilled) return false
  const changesItems = JSON.stringify(before.items) !== JSON.stringify(after.items)
  const billsWaiting = proration_behavior === 'always_invoice' && before.has_pending_items
  return billing_cycle_anchor === 'now' || billsWaiting || (proration_behavior !== 'none' && changesItems)
}

/**
 * Changes the items of a subscription within its period.
 * @param given.method - a payment method that the same update sets, which may not be stored yet
 * @returns the result of the invoice; null if none was collected
 */
export function changePlanNow(
  unit: UnitOfWork,
  change: Change,
  given: {
    readonly before: Subscription
    readonly after: Subscription
    readonly method: PaymentMethod | null | undefined
    readonly params: ProrationParams
    /** Whether the change waits for its payment if that fails. */
    readonly isConditional: boolean
  },
): Collected | null {
  const { before, after, method, params, isConditional } = given
  const loaded = loadAccount(unit, { ...after, ...(method && { default_payment_method: null }) }, change)
  const prices: Prices = new Map([...pricesOf(unit, before), ...loaded.prices])
  // A change by a request is made with the customer present unless it says otherwise, one by a schedule is not.
  const isOnSession = unit.request !== null && !params.off_session
  const account = { ...loaded, prices, isOnSession, ...(method && { paymentMethod: method }) }
  const behavior = params.proration_behavior ?? 'none'
  return changePlan(change, account, before, {
    after,
    behavior,
    at: params.proration_date ?? account.now,
    restartsPeriod:
      params.billing_cycle_anchor === 'now' ||
      !isSameInterval(intervalOf(before.items, prices), intervalOf(after.items, prices)),
    isConditional,
    billed: billedLines(unit, before, account.pendingItems),
    names: namesOf(unit, prices),
  })
}

/**
 * Cancels a subscription now.
 * @param given.prorate - whether to credit the unused time
 * @param given.invoice_now - whether to bill the pending items at once
 * @throws ApiError invalid_state_transition, param status, when it has already ended
 * See docs/contract/proration.md#canceling.
 */
export function cancelWithSettlement(
  unit: UnitOfWork,
  change: Change,
  subscription: Subscription,
  { prorate, invoice_now }: { readonly prorate: boolean; readonly invoice_now: boolean },
): void {
  const account = loadEndingAccount(unit, subscription)
  const { isBilled: isPeriodBilled } = factsOf(subscription)
  const waiting = [...itemsOfDiscarded(account, subscription), ...account.pendingItems]
  cancelNow(change, account, subscription, {
    prorate: prorate && isPeriodBilled,
    invoiceNow: invoice_now && isRunning(subscription),
    billed: prorate ? billedLines(unit, subscription, waiting) : [],
    names: namesOf(unit, account.prices),
  })
}

const isSameInterval = (left: ReturnType<typeof intervalOf>, right: ReturnType<typeof intervalOf>): boolean =>
  left.interval === right.interval && left.interval_count === right.interval_count

const pricesOf = (unit: UnitOfWork, { items }: Subscription): Prices =>
  new Map(items.map(({ price }) => [price, unit.need('price', price)]))

/** Returns the display name of each price: its product's name, else its nickname, else its id. */
export function namesOf(unit: UnitOfWork, prices: Prices): ReadonlyMap<string, string> {
  return new Map(
    [...prices].map(([id, { product, nickname }]) => [
      id,
      (product === null ? nickname : unit.need('product', product).name) ?? nickname ?? id,
    ]),
  )
}

/**
 * Lists the lines that bill the items of a subscription in its current period, on invoices or pending. Usage is left out,
 * and so are lines of void or uncollectible invoices.
 * See docs/contract/proration.md#credits.
 */
function billedLines(
  unit: UnitOfWork,
  subscription: Subscription,
  pending: readonly InvoiceItem[],
): BilledLine[] {
  const { current_period_start: cycle } = subscription
  const waiting = [...pending, ...laterPendingItemsOf(unit, subscription, pending)]
  const ofItems = waiting.flatMap(({ proration, amount }) =>
    proration?.cycle === cycle && !proration.is_usage ? [{ ...proration, amount }] : [],
  )
  // The invoice of a pending update is voided before anything else is billed.
  const invoices = invoicesSince(unit, subscription, cycle).filter(
    ({ id }) => id !== subscription.pending_update?.invoice,
  )
  // Another period may have begun in the same second, and ended at once. Its lines are on older invoices, and its
  // prorations are on the invoice that begins the current period.
  const beginning = invoices.findIndex((invoice) => planLinesOf(invoice, cycle).length > 0)
  const later = beginning < 0 ? invoices : invoices.slice(0, beginning)
  const first = beginning < 0 ? undefined : invoices[beginning]
  return [
    ...(first && isBilled(first) ? planLinesOf(first, cycle) : []),
    ...later
      .filter((invoice) => isBilled(invoice) && !invoice.deleted)
      .flatMap(({ lines }) => lines)
      .flatMap((line) => {
        const { proration } = line
        const corrects = proration?.cycle === cycle && !proration.is_usage
        return corrects ? [{ ...proration, amount: netAmount(line) }] : []
      }),
    ...ofItems,
  ]
}

/** Lists the lines of an invoice that bill the items for the whole period that began at an instant. */
function planLinesOf({ lines, period_start, period_end }: Invoice, cycle: number): BilledLine[] {
  if (period_start !== cycle) return []
  return lines.flatMap((line) => {
    const { subscription_item, proration, is_discarded } = line
    if (subscription_item === null || proration || is_discarded) return []
    return [{ subscription_item, amount: netAmount(line), start: period_start, end: period_end }]
  })
}

const PAGE = 20

/** Lists the invoices of a subscription that were created at an instant or later, newest first. */
function invoicesSince(unit: UnitOfWork, { id }: Subscription, instant: number): Invoice[] {
  const found: Invoice[] = []
  const { objects } = unit.store
  for (let after: number | undefined; ; ) {
    const page = objects.list('invoice', unit.owner, [{ field: 'subscription', is: id }], {
      limit: PAGE,
      after,
    })
    found.push(...page.filter(({ created }) => created >= instant))
    const last = page.at(-1)
    if (page.length < PAGE || !last || last.created < instant) return found
    after = objects.seqOf('invoice', unit.owner, last.id)
  }
}
