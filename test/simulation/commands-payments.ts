import {
  finalize,
  markUncollectible as giveUp,
  NEW_INVOICE,
  noteFinalized,
  noteSettled,
  voidInvoice,
} from './model-billing.ts'
import { attempt, charge, methodFor, settleInvoice } from './model-payment.ts'
import {
  broken,
  type Command,
  declined,
  done,
  invoiceIn,
  isOfLiving,
  livingCustomers,
  methodsOf,
  refused,
  subscriptionOf,
  type Table,
} from './model-play.ts'
import { type Charge, type Intent, type Invoice, type Method, named, newKey, nowOf } from './model-state.ts'
import { Operation, ref } from './model-telling.ts'

export const noteItem: Command = (table) => {
  const { merchant, dice } = table
  const customer = dice.any(livingCustomers(table))
  if (!customer) return null
  const key = newKey(merchant, 'ii')
  const amount = dice.between(1, 5_000)
  merchant.items.push({ key, customer: customer.key, amount, invoice: null })
  const body = { customer: ref(customer.key), amount, currency: 'usd' }
  return done({ method: 'POST', path: '/v1/invoiceitems', body, makes: { [key]: 'id' } })
}

/** decisions.md 7: manual, of the items that wait. */
export const createInvoice: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.any(livingCustomers(table))
  if (!customer) return null
  const at = nowOf(merchant, customer.key)
  const waiting = merchant.items.filter((item) => item.customer === customer.key && item.invoice === null)
  const isSent = dice.chance(30)
  const daysUntilDue = isSent ? dice.of([0, 5, 30]) : null
  const invoice: Invoice = {
    key: newKey(merchant, 'in'),
    customer: customer.key,
    subscription: null,
    created: at,
    total: waiting.reduce((sum, { amount }) => sum + amount, 0),
    reason: 'manual',
    collection: isSent ? 'send_invoice' : 'charge_automatically',
    daysUntilDue,
    start: at,
    end: at,
    ...NEW_INVOICE,
  }
  for (const item of waiting) item.invoice = invoice.key
  merchant.invoices.push(invoice)
  const operation = new Operation(merchant, faults, { at })
  operation.tellOfInvoice('invoice.created', invoice)
  const body = {
    customer: ref(customer.key),
    currency: 'usd',
    ...(isSent && { collection_method: 'send_invoice', days_until_due: daysUntilDue }),
  }
  return done({ method: 'POST', path: '/v1/invoices', body, told: operation.end() })
}

/** The items of a deleted draft wait again: paytwin's own choice, which its tests tell. */
export const deleteInvoice: Command = (table) => {
  const { merchant, faults } = table
  const invoice = invoiceIn(table, 'draft', 'draft', 'open', 'paid')
  if (!invoice) return null
  const play = { method: 'DELETE' as const, path: `/v1/invoices/{${invoice.key}}` }
  if (invoice.status !== 'draft' || invoice.subscription !== null) return refused(play)
  const operation = new Operation(merchant, faults, { at: nowOf(merchant, invoice.customer) })
  operation.tellOfInvoice('invoice.deleted', invoice)
  invoice.status = 'deleted'
  for (const item of merchant.items) if (item.invoice === invoice.key) item.invoice = null
  return done({ ...play, told: operation.end() })
}

function operationOn({ merchant, faults }: Table, invoice: Invoice): Operation {
  const subscription = subscriptionOf({ merchant, faults } as Table, invoice)
  return new Operation(merchant, faults, { at: nowOf(merchant, invoice.customer), subscription })
}

export const finalizeInvoice: Command = (table) => {
  const invoice = invoiceIn(table, 'draft', 'draft', 'draft', 'paid')
  if (!invoice) return null
  const play = { method: 'POST' as const, path: `/v1/invoices/{${invoice.key}}/finalize` }
  if (invoice.status !== 'draft') return refused(play)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  finalize(operation, invoice)
  if (subscription) noteFinalized(operation, subscription, invoice)
  return done({ ...play, told: operation.end() })
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
  return done({ ...play, told: operation.end() })
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
  return done({ ...play, told: operation.end() })
}

/** decisions.md 6, 7: by hand; changes neither attempt_count nor the schedule, and finalizes a draft first. */
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
  const before = structuredClone(merchant)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  const isDraft = invoice.status === 'draft'
  if (isDraft) finalize(operation, invoice)
  if (invoice.total > 0) {
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
  const told = operation.end()
  return isPaid ? done({ ...play, told }) : declined({ ...play, told })
}

export const createIntent: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.chance(70) ? dice.any(livingCustomers(table)) : undefined
  const chosen = customer && dice.chance(60) ? dice.any(methodsOf(table, customer.key)) : undefined
  const isConfirmed = chosen !== undefined && dice.chance(60)
  const before = structuredClone(merchant)
  const intent: Intent = {
    key: newKey(merchant, 'pi'),
    customer: customer?.key ?? null,
    invoice: null,
    amount: dice.between(1, 10_000),
    status: 'requires_confirmation',
    method: chosen?.key ?? null,
  }
  merchant.intents.push(intent)
  const operation = new Operation(merchant, faults, { at: nowOf(merchant, intent.customer) })
  operation.tellOfIntent('payment_intent.created', intent)
  const play = {
    method: 'POST' as const,
    path: '/v1/payment_intents',
    body: {
      amount: intent.amount,
      currency: 'usd',
      ...(customer && { customer: ref(customer.key) }),
      ...(chosen && { payment_method: ref(chosen.key) }),
      ...(isConfirmed && { confirm: true }),
    },
  }
  if (!isConfirmed) return done({ ...play, told: operation.end() })
  const outcome = attempt(operation, chosen)
  if (outcome === 'timed out') {
    Object.assign(merchant, before)
    return broken(play)
  }
  charge(operation, intent, { outcome, method: chosen })
  const told = operation.end()
  return outcome === 'approved' ? done({ ...play, told }) : declined({ ...play, told })
}

/** decisions.md 4: of an intent of its own or of an invoice's, which it pays. */
export const confirmIntent: Command = (table) => {
  const { merchant, faults, dice } = table
  const open = merchant.intents.filter(({ customer }) => isOfLiving(table, customer)).slice(-20)
  const intent = dice.any(open)
  if (!intent) return null
  const path = `/v1/payment_intents/{${intent.key}}/confirm`
  const given = intent.customer === null ? undefined : dice.any(methodsOf(table, intent.customer))
  const play = {
    method: 'POST' as const,
    path,
    ...(given && { body: { payment_method: ref(given.key) } }),
  }
  if (intent.status === 'succeeded' || intent.status === 'canceled') return refused(play)
  const method = given ?? methodOf(table, intent)
  // What an intent of an invoice is charged to when nothing is given, the specification does not say.
  if (!given && intent.invoice !== null) return null
  if (!method) return refused(play)
  const before = structuredClone(merchant)
  const invoice = merchant.invoices.find(({ key }) => key === intent.invoice)
  const operation = invoice
    ? operationOn(table, invoice)
    : new Operation(merchant, faults, { at: nowOf(merchant, intent.customer) })
  const outcome = attempt(operation, method)
  if (outcome === 'timed out') {
    Object.assign(merchant, before)
    return broken(play)
  }
  if (invoice) {
    settleInvoice(operation, invoice, { outcome, method })
    const subscription = subscriptionOf(table, invoice)
    if (subscription && outcome === 'approved') noteSettled(operation, subscription, invoice)
  } else charge(operation, intent, { outcome, method })
  const told = operation.end()
  return outcome === 'approved' ? done({ ...play, told }) : declined({ ...play, told })
}

/** The method that an intent was made with, where it still belongs to the customer. */
function methodOf({ merchant }: Table, intent: Intent): Method | null {
  const method = merchant.methods.find(({ key }) => key === intent.method)
  return method && method.customer === intent.customer ? method : null
}

export const cancelIntent: Command = (table) => {
  const { merchant, faults, dice } = table
  const intent = dice.any(merchant.intents.slice(-20))
  if (!intent) return null
  const play = { method: 'POST' as const, path: `/v1/payment_intents/{${intent.key}}/cancel` }
  const { status, invoice, customer } = intent
  if (status === 'succeeded' || status === 'canceled' || invoice !== null) return refused(play)
  if (!isOfLiving(table, customer)) return null
  intent.status = 'canceled'
  const operation = new Operation(merchant, faults, { at: nowOf(merchant, customer) })
  operation.tellOfIntent('payment_intent.canceled', intent)
  return done({ ...play, told: operation.end() })
}

/** decisions.md 5: "Amount defaults to the remainder. Nothing left → `amount_too_large`." */
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
  return done({ ...play, told: operation.end() })
}
