import { entriesOf, entryBody } from './commands-discounts.ts'
import { attachTestCard } from './commands-objects.ts'
import { MAX_AMOUNT, priceOf } from './model-amounts.ts'
import { DAY, periodBegin } from './model-calendar.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import {
  broken,
  type Command,
  declined,
  done,
  livingCustomers,
  methodsOf,
  refused,
  type Table,
} from './model-play.ts'
import { redeemAll } from './model-redeem.ts'
import { ref } from './model-shown.ts'
import { begin, newSubscription } from './model-start.ts'
import { keepScripts, newKey, nowOf, type Price } from './model-state.ts'
import { isOfInactive } from './model-usage.ts'

export const subscribe: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.any(livingCustomers(table).slice(-8))
  const price = dice.any(merchant.prices.slice(-10))
  if (!customer || !price) return null
  const at = nowOf(merchant, customer.key)
  const before = copyOf(merchant)

  const isSent = dice.chance(15)
  const days = dice.of([1, 1, 3, 7, 14, 31, 365])
  const trialEnd = dice.chance(30) ? at + days * DAY : null
  const anchor = dice.chance(20) ? anchorOf(table, price, at) : null
  const isPartFree = anchor !== null && dice.chance(25)
  const missing = dice.of(['create_invoice', 'pause', 'cancel'] as const)
  const behaviour = dice.of(['default_incomplete', 'allow_incomplete', 'error_if_incomplete'] as const)
  const daysUntilDue = isSent ? dice.of([0, 1, 7, 30, 45]) : null
  const quantity = price.meter === null ? dice.of([0, 1, 1, 1, 2, 3]) : 0
  const isMethodGiven = (!isSent && trialEnd === null) || dice.chance(50)
  const old = dice.chance(60) ? dice.any(methodsOf(table, customer.key)) : undefined
  const given = !isMethodGiven
    ? null
    : old
      ? { key: old.key, given: ref(old.key), makes: {} }
      : attachTestCard(table, customer.key, 'default_payment_method')

  const isMetered = price.meter !== null
  const item = { key: newKey(merchant, 'si'), price: price.key, quantity, isMetered, since: 0 }
  const second = dice.chance(30)
    ? dice.any(merchant.prices.filter((each) => goesWith(each, price)))
    : undefined
  const items = [
    item,
    ...(second
      ? [
          {
            ...{ key: newKey(merchant, 'si'), price: second.key, since: 0 },
            ...{ quantity: second.meter === null ? 1 : 0, isMetered: second.meter !== null },
          },
        ]
      : []),
  ]
  const entries = dice.chance(30) ? entriesOf(table) : []
  const entriesOfItem = dice.chance(15) ? entriesOf(table) : []
  const subscription = newSubscription(merchant, {
    ...{ customer: customer.key, at, items, missing, daysUntilDue, trialEnd },
    collection: isSent ? 'send_invoice' : 'charge_automatically',
    method: given?.key ?? null,
    anchor: anchor ?? trialEnd ?? at,
  })
  const play = {
    method: 'POST' as const,
    path: '/v1/subscriptions',
    body: {
      customer: ref(customer.key),
      currency: 'usd',
      items: [
        {
          ...{ price: ref(price.key) },
          ...(!isMetered && { quantity }),
          ...(entriesOfItem.length > 0 && { discounts: entriesOfItem.map(entryBody) }),
        },
        ...(second ? [{ price: ref(second.key) }] : []),
      ],
      ...(entries.length > 0 && { discounts: entries.map(entryBody) }),
      ...(anchor !== null && { billing_cycle_anchor: anchor }),
      ...(isPartFree && { proration_behavior: 'none' }),
      payment_behavior: behaviour,
      ...(given && { default_payment_method: given.given }),
      ...(isSent && { collection_method: 'send_invoice', days_until_due: daysUntilDue }),
      ...(trialEnd !== null && {
        ...(dice.chance(50) ? { trial_end: trialEnd } : { trial_period_days: days }),
        trial_settings: { end_behavior: { missing_payment_method: missing } },
      }),
    },
  }
  const takeBack = () => void Object.assign(merchant, keepScripts(before, merchant))
  const isInactive = items.some((each) => isOfInactive(merchant, each.price))
  const isAnchorRight =
    anchor === null || (trialEnd === null && anchor > at && anchor <= periodBegin(at, price, 1))
  if (isInactive || !isAnchorRight || priceOf(merchant, items) > MAX_AMOUNT) {
    takeBack()
    return refused(play)
  }
  merchant.subscriptions.push(subscription)
  const operation = new Operation(merchant, faults, { at, subscription, isNew: true })
  const purchase = { customer: customer.key, amount: priceOf(merchant, items) }
  const holder = { subscription: subscription.key }
  const ofItem = redeemAll(
    operation,
    { ...purchase, amount: priceOf(merchant, [item]), holder: { ...holder, item: item.key } },
    { entries: entriesOfItem },
  )
  const own = ofItem && redeemAll(operation, { ...purchase, holder }, { entries })
  if (!own) {
    takeBack()
    return refused(play)
  }
  subscription.discounts = own
  subscription.itemDiscounts[item.key] = ofItem
  const part = anchor !== null && anchor > at ? { start: at, end: anchor } : undefined
  const outcome = begin(operation, subscription, { part, isPartFree })
  if (outcome === 'timed out') {
    takeBack()
    return broken(play)
  }
  if (subscription.status === 'incomplete' && behaviour === 'error_if_incomplete') {
    takeBack()
    return declined({ ...play, emitted: [] })
  }
  return done({ ...play, emitted: operation.end(), makes: { [subscription.key]: 'id', ...given?.makes } })
}

/** An anchor within a period, at its end more often, or rarely one outside. */
function anchorOf({ dice }: Table, price: Price, at: number): number {
  const last = periodBegin(at, price, 1)
  if (dice.chance(8)) return dice.of([at, at - 1, last + 1])
  return dice.of([last, last - 1, at + 1, dice.between(at + 1, last), dice.between(at + 1, last)])
}

/** Whether a subscription can have both prices. */
export const goesWith = (second: Price, { key, interval, interval_count }: Price): boolean =>
  second.key !== key && second.interval === interval && second.interval_count === interval_count
