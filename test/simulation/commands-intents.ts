import { noteSettled } from './model-billing.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import type { Intent } from './model-money.ts'
import { attempt, charge, settleInvoice } from './model-payment.ts'
import {
  broken,
  type Command,
  declined,
  done,
  isOfLiving,
  livingCustomers,
  methodsOf,
  operationOn,
  refused,
  subscriptionOf,
  type Table,
} from './model-play.ts'
import { ref } from './model-shown.ts'
import { type Method, newKey, nowOf } from './model-state.ts'

export const createIntent: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.chance(70) ? dice.any(livingCustomers(table)) : undefined
  const chosen = customer && dice.chance(60) ? dice.any(methodsOf(table, customer.key)) : undefined
  const isConfirmed = chosen !== undefined && dice.chance(60)
  const before = copyOf(merchant)
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
  if (!isConfirmed) return done({ ...play, emitted: operation.end() })
  const outcome = attempt(operation, chosen)
  if (outcome === 'timed out') {
    Object.assign(merchant, before)
    return broken(play)
  }
  charge(operation, intent, { outcome, method: chosen })
  const emitted = operation.end()
  return outcome === 'approved' ? done({ ...play, emitted }) : declined({ ...play, emitted })
}

/** Confirms an intent, or that of an invoice, which it pays. See docs/contract/payments.md#confirming. */
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
  const { status } = intent
  if (status === 'succeeded' || status === 'canceled' || status === 'requires_action') return refused(play)
  const method = given ?? methodOf(table, intent)
  // The contract does not say which payment method an invoice's intent uses if none is given.
  if (!given && intent.invoice !== null) return null
  if (!method) return refused(play)
  const before = copyOf(merchant)
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
  const emitted = operation.end()
  return outcome === 'approved' ? done({ ...play, emitted }) : declined({ ...play, emitted })
}

/** See docs/contract/payments.md#updating-an-intent. */
function methodOf({ merchant }: Table, intent: Intent): Method | null {
  const method = merchant.methods.find(({ key }) => key === intent.method)
  return method && (method.customer === null || method.customer === intent.customer) ? method : null
}

const operationOnIntent = ({ merchant, faults }: Table, { customer }: Intent): Operation =>
  new Operation(merchant, faults, { at: nowOf(merchant, customer) })

/**
 * Makes an intent wait, with a push method or a card that requires authentication. See
 * docs/contract/payments.md#payment-intent-status.
 */
export const confirmLater: Command = (table) => {
  const { merchant, dice } = table
  const open = merchant.intents.filter(
    ({ status, invoice, customer }) =>
      customer === null &&
      invoice === null &&
      (status === 'requires_confirmation' || status === 'requires_payment_method'),
  )
  const intent = dice.any(open)
  if (!intent) return null
  const operation = operationOnIntent(table, intent)
  intent.status = 'requires_action'
  operation.tellOfIntent('payment_intent.requires_action', intent)
  return done({
    method: 'POST',
    path: `/v1/payment_intents/{${intent.key}}/confirm`,
    body: { payment_method: dice.of(['pm_pix', 'pm_boleto', 'pm_card_authenticationRequired']) },
    emitted: operation.end(),
  })
}

/** See docs/contract/payments.md#settling. */
export const settleIntent: Command = (table) => {
  const { merchant, dice } = table
  const waiting = merchant.intents.filter(({ status }) => status === 'requires_action')
  const intent = dice.any(dice.chance(90) ? waiting : merchant.intents)
  if (!intent) return null
  const outcome = dice.of(['succeed', 'fail'])
  const path = `/v1/test_helpers/payment_intents/{${intent.key}}/settle`
  const play = { method: 'POST' as const, path, body: { outcome } }
  if (intent.status !== 'requires_action') return refused(play)
  const operation = operationOnIntent(table, intent)
  const method: Method = { key: 'unnamed', customer: null, behaviour: 'succeeds', script: null }
  charge(operation, intent, { outcome: outcome === 'succeed' ? 'approved' : 'declined', method })
  return done({ ...play, emitted: operation.end() })
}

export const cancelIntent: Command = (table) => {
  const { merchant, dice } = table
  const intent = dice.any(merchant.intents.slice(-20))
  if (!intent) return null
  const play = { method: 'POST' as const, path: `/v1/payment_intents/{${intent.key}}/cancel` }
  const { status, invoice, customer } = intent
  if (status === 'succeeded' || status === 'canceled' || invoice !== null) return refused(play)
  if (!isOfLiving(table, customer)) return null
  intent.status = 'canceled'
  const operation = operationOnIntent(table, intent)
  operation.tellOfIntent('payment_intent.canceled', intent)
  return done({ ...play, emitted: operation.end() })
}
