import { addIntervals } from '../../src/core/calendar.ts'
import type { Body } from '../twin.ts'
import { expect } from './quick-expect.ts'
import type { History } from './story.ts'

/**
 * Invariants of every history, whatever the requests and the pace of time.
 * @param transactions - all changes of balances; only needed if requests change them
 */
export function holdAlways(history: History, transactions: readonly Body[] = []): void {
  numbersHaveNoGaps(history)
  linesAddUp(history)
  balancesReconcile(history, transactions)
  paidMeansChargedOnce(history)
  refundsStayWithinCharges(history)
  creditNotesStayWithinInvoices(history)
  newestEventsShowThePresent(history)
  updatesFollowOneAnother(history)
}

/** Further invariants with one clock and without manual invoices or finalizations. */
export function holdInvariants(history: History): void {
  timeNeverGoesBack(history)
  holdAlways(history)
  for (const [subscription, invoices] of subscriptionsOf(history))
    statusFollowsInvoices(subscription, invoices)
}

/** Further invariant if collection is never paused: a pause holds invoices back, and `latest_invoice` leaves them out. */
export function holdLatestInvoices(history: History): void {
  for (const [subscription, invoices] of subscriptionsOf(history))
    latestInvoiceFollowsPayments(subscription, invoices)
}

/** Further invariants if no request moves a period or closes an invoice without payment: each period has one invoice. */
export function holdPeriods(history: History): void {
  for (const [subscription, invoices] of subscriptionsOf(history))
    periodsAreContiguous(subscription, invoices)
}

const subscriptionsOf = ({ subscriptions, invoices }: History): [Body, Body[]][] =>
  subscriptions.map((subscription) => [
    subscription,
    invoices.filter((invoice) => invoice.subscription === subscription.id),
  ])

function timeNeverGoesBack({ events }: History): void {
  const times = events.map(({ created }) => created)
  expect(times).toEqual(times.toSorted((left, right) => left - right))
}

function numbersHaveNoGaps({ customers, invoices }: History): void {
  for (const { id, invoice_prefix } of customers) {
    const numbers = invoices
      .filter(({ customer, number }) => customer === id && number)
      .map(({ number }) => number)
    const expected = numbers.map((_, index) => `${invoice_prefix}-${String(index + 1).padStart(4, '0')}`)
    expect(numbers.toSorted()).toEqual(expected)
  }
}

function linesAddUp({ invoices }: History): void {
  for (const { total, subtotal, amount_due, amount_paid, amount_remaining, lines, ...balance } of invoices) {
    const { total_discount_amounts, starting_balance, applied_balance, pre_payment_credit_notes_amount } =
      balance
    const sum = lines.data.reduce((sum: number, { amount }: Body) => sum + amount, 0)
    const off = offOf(total_discount_amounts)
    expect([subtotal - off, amount_paid + amount_remaining]).toEqual([total, amount_due])
    if (!lines.has_more)
      expect(offOf(lines.data.flatMap(({ discount_amounts }: Body) => discount_amounts))).toBe(off)
    for (const { amount, discount_amounts } of lines.data)
      expect(offOf(discount_amounts)).toBeLessThanOrEqual(Math.max(0, amount))
    // A debt does not raise it over the largest amount.
    const largest = Math.max(total, 99_999_999)
    const billed = amount_due + pre_payment_credit_notes_amount
    expect(billed).toBe(Math.min(Math.max(0, total + starting_balance), largest))
    expect(applied_balance).toBe(billed - total)
    // An invoice shows its first lines only; a long one has pages of them.
    if (!lines.has_more) expect(sum).toBe(subtotal)
  }
}

/** What some discount amounts take off, none of which is negative. */
function offOf(amounts: readonly Body[]): number {
  for (const { amount } of amounts) expect(amount).toBeGreaterThan(0)
  return amounts.reduce((sum, { amount }) => sum + amount, 0)
}

/** A balance is what requests and finalized invoices added to it and took from it, and the sum of its transactions. */
function balancesReconcile({ customers, invoices }: History, transactions: readonly Body[]): void {
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
  for (const { id, currency, balance, invoice_credit_balance } of customers) {
    expect(balance).toBe(currency === null ? 0 : invoice_credit_balance[currency])
    for (const [code, is] of Object.entries(invoice_credit_balance)) {
      const isOf = (each: Body) => each.customer === id && each.currency === code
      const applied = invoices
        .filter(({ number, status, ...rest }) => isOf(rest) && number !== null && status !== 'void')
        .map(({ applied_balance }) => -applied_balance)
      const own = transactions.filter(isOf)
      const adjusted = own
        .filter(({ type }) => type === 'adjustment' || type === 'credit_note')
        .map(({ amount }) => amount)
      expect(sumOf([...applied, ...adjusted])).toBe(is)
      if (own.length > 0) expect(sumOf(own.map(({ amount }) => amount))).toBe(is)
      expect(Number.isSafeInteger(is)).toBe(true)
      if (adjusted.length === 0) expect(is).toBeLessThanOrEqual(0)
    }
  }
}

/**
 * No more is credited for an item of a subscription than was charged for it. Lines that were deleted or whose invoice
 * bills nothing would have to be known, so items with such lines are left out.
 * @param deleted - the subscriptions of which lines were deleted by hand
 */
export function itemsReconcile(
  { invoices, items }: { invoices: Body[]; items: Body[] },
  deleted: ReadonlySet<string> = new Set(),
): void {
  const sums = new Map<string, number>()
  const add = ({ subscription_item: item, discount_amounts = [], ...line }: Body) => {
    const amount = line.amount - offOf(discount_amounts)
    expect(Number.isSafeInteger(amount)).toBe(true)
    if (item) sums.set(item, (sums.get(item) ?? 0) + amount)
  }
  const billed = [...items, ...invoices.flatMap(({ lines }) => lines.data as Body[])]
  const unclear = new Set<string>(
    billed
      .filter(({ subscription }) => deleted.has(subscription))
      .map(({ subscription_item }) => subscription_item),
  )
  for (const { status, lines } of invoices) {
    for (const line of lines.data) add(line)
    const isWorthless = status === 'void' || status === 'uncollectible'
    if (isWorthless) for (const { subscription_item } of lines.data) unclear.add(subscription_item)
  }
  for (const item of items.filter(({ invoice }) => invoice === null)) add(item)
  // Each line is rounded by half a unit at most.
  const isLong = invoices.some(({ lines }) => lines.has_more)
  if (isLong) return
  for (const [item, sum] of sums) if (!unclear.has(item)) expect(sum).toBeGreaterThanOrEqual(-items.length)
}

/** A failed refund does not count as refunded. */
function refundsStayWithinCharges({ charges, refunds }: History): void {
  for (const { id, amount, amount_refunded, refunded, status } of charges) {
    const given = refunds.filter(({ charge, status }) => charge === id && status !== 'failed')
    expect(given.reduce((sum, { amount }) => sum + amount, 0)).toBe(amount_refunded)
    expect(amount_refunded).toBeLessThanOrEqual(status === 'succeeded' ? amount : 0)
    expect(refunded).toBe(status === 'succeeded' && amount_refunded === amount)
  }
}

function paidMeansChargedOnce({ invoices, charges }: History): void {
  for (const { id, status, amount_due, amount_paid } of invoices) {
    const succeeded = charges.filter((charge) => charge.invoice === id && charge.status === 'succeeded')
    const isPaid = status === 'paid' && amount_due > 0
    expect(succeeded.map(({ amount }) => amount)).toEqual(isPaid ? [amount_due] : [])
    expect(amount_paid).toBe(isPaid ? amount_due : 0)
  }
}

/** The credit notes of an invoice credit no more than was billed, and its amounts are theirs. */
function creditNotesStayWithinInvoices({ invoices, credit_notes }: History): void {
  const sumOf = (objects: readonly Body[], field: string) =>
    objects.reduce((sum, object) => sum + object[field], 0)
  for (const { id, total, lines, ...invoice } of invoices) {
    const own = credit_notes.filter((note) => note.invoice === id && note.status === 'issued')
    expect(sumOf(own, 'pre_payment_amount')).toBe(invoice.pre_payment_credit_notes_amount)
    expect(sumOf(own, 'post_payment_amount')).toBe(invoice.post_payment_credit_notes_amount)
    if (own.length > 0) expect(sumOf(own, 'amount')).toBeLessThanOrEqual(total)
    const credits = own.flatMap((note) => note.lines.data)
    for (const line of lines.data) {
      const ofLine = credits.filter(({ invoice_line_item }) => invoice_line_item === line.id)
      if (ofLine.length > 0) expect(sumOf(ofLine, 'amount')).toBeLessThanOrEqual(line.amount)
    }
  }
}

/** Fields of an invoice that change with its credit notes. */
const CREDITED = [
  'amount_due',
  'amount_remaining',
  'pre_payment_credit_notes_amount',
  'post_payment_credit_notes_amount',
]

/** Fields that may change without an event. */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  customer: ['delinquent', 'balance', 'currency', 'invoice_credit_balance', 'discount'],
  coupon: ['times_redeemed', 'valid'],
  promotion_code: ['times_redeemed', 'active', 'coupon'],
  invoice: ['next_payment_attempt', 'auto_advance', ...CREDITED],
  // A credit note reduces the amount.
  payment_intent: ['status', 'canceled_at', 'amount', 'next_action'],
  // A failed refund restores the amount, and a dispute begins after the charge.
  charge: ['amount_refunded', 'refunded', 'disputed', 'dispute'],
}

/** Fields of a draft that change with its items. */
const AMOUNTS = [
  'lines',
  'subtotal',
  'total_discount_amounts',
  'total',
  'amount_due',
  'amount_remaining',
  'applied_balance',
]

const silentFieldsOf = ({ object, status }: Body): readonly string[] => [
  ...(SILENT[object] ?? []),
  ...(object === 'invoice' && status === 'draft' ? AMOUNTS : []),
]

function newestEventsShowThePresent(history: History): void {
  const present = new Map(
    Object.entries(history)
      .filter(([name]) => name !== 'events')
      .flatMap(([, objects]) => objects.map((object) => [object.id, object] as const)),
  )
  const gone = new Set(
    history.events.filter(({ type }) => type.endsWith('.deleted')).map(({ data }) => data.object.id),
  )
  for (const { id } of history.subscriptions) gone.delete(id)
  const newest = new Map(history.events.map(({ data }) => [data.object.id as string, data.object as Body]))
  for (const [id, emitted] of newest) {
    // Discounts have no route of their own.
    // An announced invoice has no id.
    if (gone.has(id) || id === null || emitted.object === 'discount') continue
    const now = { ...present.get(id) }
    for (const field of silentFieldsOf(emitted)) now[field] = emitted[field]
    expect(emitted).toEqual(now)
  }
}

/** Undoing an update gives the state of the previous event. */
function updatesFollowOneAnother({ events }: History): void {
  const shown = new Map<string, Body>()
  for (const { type, data } of events.filter((event) => event.data.object.object === 'subscription')) {
    const { object, previous_attributes } = data
    if (type === 'subscription.updated') {
      expect(Object.keys(previous_attributes).length).toBeGreaterThan(0)
      expect({ ...object, ...previous_attributes }).toEqual(shown.get(object.id))
    }
    shown.set(object.id, object)
  }
}

function periodsAreContiguous(subscription: Body, invoices: readonly Body[]): void {
  const { billing_cycle_anchor: anchor, items, status } = subscription
  const { recurring } = items.data[0].price
  expect(invoices.map(({ period_start, period_end }) => [period_start, period_end])).toEqual(
    invoices.map((_, n) => [addIntervals(anchor, recurring, n), addIntervals(anchor, recurring, n + 1)]),
  )
  if (status === 'trialing' || invoices.length === 0) return
  const { period_start, period_end } = invoices.at(-1) as Body
  expect([subscription.current_period_start, subscription.current_period_end]).toEqual([
    period_start,
    period_end,
  ])
}

function statusFollowsInvoices(subscription: Body, invoices: readonly Body[]): void {
  const { status, ended_at, pending_update, latest_invoice } = subscription
  // The invoice of a pending update does not concern the status.
  const waits = ({ id }: Body) => pending_update !== null && id === latest_invoice
  const open = invoices.filter((invoice) => invoice.status === 'open' && !waits(invoice))
  const isRetried = open.some(({ next_payment_attempt }) => next_payment_attempt !== null)
  const automatic = open.filter(({ collection_method }) => collection_method === 'charge_automatically')
  if (status === 'active') expect(automatic).toEqual([])
  if (status === 'past_due') expect(open).not.toEqual([])
  if (status === 'incomplete') expect(open).toHaveLength(1)
  if (status === 'incomplete_expired') expect(open).toEqual([])
  if (status === 'trialing') expect(invoices).toEqual([])
  if (status !== 'past_due' && status !== 'incomplete') expect(isRetried).toBe(false)
  expect(ended_at !== null).toBe(status === 'canceled' || status === 'incomplete_expired')
}

function latestInvoiceFollowsPayments({ latest_invoice }: Body, invoices: readonly Body[]): void {
  const hasPaid = invoices.some(({ status }) => status === 'paid')
  const newest = invoices.findLast(({ number }) => number !== null)
  expect(latest_invoice).toBe(hasPaid ? newest?.id : null)
}
