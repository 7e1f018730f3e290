import { entriesOf, entryBody } from './commands-discounts.ts'
import { MAX_AMOUNT, subtotalOf, totalOf } from './model-amounts.ts'
import {
  finalize,
  markUncollectible as giveUp,
  newInvoice,
  noteFinalized,
  noteSettled,
  voidInvoice,
} from './model-billing.ts'
import { copyOf } from './model-copy.ts'
import { endDiscount, inherit, reduceAndSpend } from './model-discount.ts'
import { isDisputed } from './model-dispute.ts'
import { Operation } from './model-events.ts'
import type { Charge } from './model-money.ts'
import { attempt, methodFor, settleInvoice } from './model-payment.ts'
import { lineOfItem } from './model-plan.ts'
import {
  broken,
  type Command,
  declined,
  done,
  invoiceIn,
  isOfLiving,
  livingCustomers,
  methodsOf,
  operationOn,
  refused,
  subscriptionOf,
} from './model-play.ts'
import { redeemAll } from './model-redeem.ts'
import { ref } from './model-shown.ts'
import {
  type Invoice,
  type InvoiceItem,
  isEnded,
  type Merchant,
  named,
  newKey,
  nowOf,
} from './model-state.ts'
import { refreshUsage } from './model-usage.ts'

/** Creates a manual invoice of the pending items. See docs/contract/invoices.md#manual-invoices. */
export const createInvoice: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.any(livingCustomers(table))
  if (!customer) return null
  const at = nowOf(merchant, customer.key)
  const pending = merchant.items
    .filter((item) => item.customer === customer.key && item.invoice === null && isLeft(merchant, item))
    .slice(0, 250)
  const isSent = dice.chance(30)
  const daysUntilDue = isSent ? dice.of([0, 5, 30]) : null
  const invoice: Invoice = {
    key: newKey(merchant, 'in'),
    customer: customer.key,
    subscription: null,
    created: at,
    lines: pending.map(lineOfItem),
    reason: 'manual',
    collection: isSent ? 'send_invoice' : 'charge_automatically',
    daysUntilDue,
    start: at,
    end: at,
    ...newInvoice(),
  }
  const entries = dice.chance(30) ? entriesOf(table) : undefined
  const body = {
    customer: ref(customer.key),
    currency: 'usd',
    ...(isSent && { collection_method: 'send_invoice', days_until_due: daysUntilDue }),
    ...(entries && { discounts: entries.length === 0 ? '' : entries.map(entryBody) }),
  }
  const play = { method: 'POST' as const, path: '/v1/invoices', body }
  const before = copyOf(merchant)
  const operation = new Operation(merchant, faults, { at })
  inherit(merchant, invoice, { subscription: null, at })
  if (entries) {
    const holder = { invoice: invoice.key }
    const purchase = { customer: customer.key, holder, amount: subtotalOf(invoice.lines) }
    const given = redeemAll(operation, purchase, { entries })
    if (!given) {
      Object.assign(merchant, before)
      return refused(play)
    }
    invoice.discounts = given
  }
  reduceAndSpend(operation, invoice)
  if (totalOf(invoice) > MAX_AMOUNT) {
    Object.assign(merchant, before)
    return refused(play)
  }
  for (const item of pending) item.invoice = invoice.key
  merchant.invoices.push(invoice)
  operation.tellOfInvoice('invoice.created', invoice)
  return done({ ...play, emitted: operation.end() })
}

/** An item of a subscription is left to a manual invoice when the subscription has ended. */
function isLeft({ subscriptions }: Merchant, { subscription }: InvoiceItem): boolean {
  const own = subscriptions.find(({ key }) => key === subscription)
  return own === undefined || isEnded(own)
}

/** paytwin: items that were pending before are pending again, those created on the draft are deleted. */
export const deleteInvoice: Command = (table) => {
  const { merchant, faults } = table
  const invoice = invoiceIn(table, 'draft', 'draft', 'open', 'paid')
  if (!invoice) return null
  const play = { method: 'DELETE' as const, path: `/v1/invoices/{${invoice.key}}` }
  if (invoice.status !== 'draft' || invoice.subscription !== null) return refused(play)
  const operation = new Operation(merchant, faults, { at: nowOf(merchant, invoice.customer) })
  operation.tellOfInvoice('invoice.deleted', invoice)
  invoice.status = 'deleted'
  const own = merchant.items.filter((item) => item.invoice === invoice.key && item.isOwn)
  for (const key of [...invoice.discounts, ...own.flatMap(({ discounts }) => discounts)]) {
    const discount = named(merchant.discounts, key)
    if (discount.holder.invoice || discount.holder.invoiceItem) endDiscount(operation, discount)
  }
  merchant.items = merchant.items.filter(({ invoice: on, isOwn }) => on !== invoice.key || !isOwn)
  for (const item of merchant.items) if (item.invoice === invoice.key) item.invoice = null
  return done({ ...play, emitted: operation.end() })
}

export const finalizeInvoice: Command = (table) => {
  const invoice = invoiceIn(table, 'draft', 'draft', 'draft', 'paid')
  if (!invoice) return null
  const play = { method: 'POST' as const, path: `/v1/invoices/{${invoice.key}}/finalize` }
  if (invoice.status !== 'draft') return refused(play)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  refresh(operation, invoice)
  finalize(operation, invoice)
  if (subscription) noteFinalized(operation, subscription, invoice)
  return done({ ...play, emitted: operation.end() })
}

export const markUncollectible: Command = (table) => {
  const invoice = invoiceIn(table, 'open', 'draft', 'void')
  if (!invoice) return null
  const play = { method: 'POST' as const, path: `/v1/invoices/{${invoice.key}}/mark_uncollectible` }
  if (invoice.status !== 'open') return refused(play)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  giveUp(operation, invoice)
  if (subscription) noteSettled(operation, subscription, invoice)
  return done({ ...play, emitted: operation.end() })
}

export const voidOne: Command = (table) => {
  const invoice = invoiceIn(table, 'open', 'uncollectible', 'paid')
  if (!invoice) return null
  const play = { method: 'POST' as const, path: `/v1/invoices/{${invoice.key}}/void` }
  if (invoice.status === 'paid') return refused(play)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  voidInvoice(operation, invoice)
  if (subscription) noteSettled(operation, subscription, invoice)
  return done({ ...play, emitted: operation.end() })
}

/** See docs/contract/invoices.md#paying-by-hand. */
export const payInvoice: Command = (table) => {
  const { merchant, dice } = table
  const invoice = invoiceIn(table, 'open', 'uncollectible', 'draft', 'paid', 'void')
  if (!invoice) return null
  const chosen = dice.chance(30) ? dice.any(methodsOf(table, invoice.customer)) : undefined
  const play = {
    method: 'POST' as const,
    path: `/v1/invoices/{${invoice.key}}/pay`,
    ...(chosen && { body: { payment_method: ref(chosen.key) } }),
  }
  if (invoice.status === 'paid' || invoice.status === 'void') return refused(play)
  const before = copyOf(merchant)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  const isDraft = invoice.status === 'draft'
  if (isDraft) {
    refresh(operation, invoice)
    finalize(operation, invoice)
  }
  if (invoice.paidAt === null) {
    const method = chosen ?? methodFor(operation, invoice.customer, subscription)
    const outcome = attempt(operation, method)
    if (outcome === 'timed out') {
      Object.assign(merchant, before)
      return broken(play)
    }
    settleInvoice(operation, invoice, { outcome, method })
  }
  const isPaid = invoice.paidAt !== null
  if (subscription && isDraft) noteFinalized(operation, subscription, invoice)
  else if (subscription && isPaid) noteSettled(operation, subscription, invoice)
  const emitted = operation.end()
  return isPaid ? done({ ...play, emitted }) : declined({ ...play, emitted })
}

/** See docs/contract/payments.md#refunds. */
export const refund: Command = (table) => {
  const { merchant, faults, dice } = table
  const made = merchant.charges.filter(({ customer }) => isOfLiving(table, customer)).slice(-15)
  const charged = dice.any<Charge>(made)
  if (!charged) return null
  const left = charged.amount - charged.refunded
  const amount = dice.chance(20) ? undefined : dice.of([1, Math.ceil(left / 2), left, left + 1])
  const play = {
    method: 'POST' as const,
    path: '/v1/refunds',
    body: { charge: ref(charged.key), ...(amount !== undefined && { amount }) },
  }
  const wanted = amount ?? left
  if (isDisputed(merchant, charged.key)) return refused(play)
  if (!charged.succeeded || wanted > left || wanted <= 0) return refused(play)
  const at = nowOf(merchant, charged.customer)
  const operation = new Operation(merchant, faults, { at })
  charged.refunded += wanted
  const given = {
    key: newKey(merchant, 're'),
    charge: charged.key,
    amount: wanted,
    created: at,
    status: charged.refundsFail ? ('pending' as const) : ('succeeded' as const),
  }
  merchant.refunds.push(given)
  operation.tellOfRefund('refund.created', given)
  operation.tellOfCharge('charge.refunded', named<Charge>(merchant.charges, charged.key))
  return done({ ...play, emitted: operation.end() })
}

/** See docs/contract/usage.md#late-events. */
function refresh(operation: Operation, invoice: Invoice): void {
  if (refreshUsage(operation.merchant, invoice.customer, invoice.lines)) reduceAndSpend(operation, invoice)
}
