import { change } from './commands-plan.ts'
import { subscribe } from './commands-subscribe.ts'
import { DAY } from './model-calendar.ts'
import { runNextBilling } from './model-clock.ts'
import { copyOf } from './model-copy.ts'
import type { ExpectedEvent } from './model-events.ts'
import { type Command, done, refused } from './model-play.ts'
import type { Shown } from './model-shown.ts'
import { type Invoice, type Merchant, named, nowOf } from './model-state.ts'

/** The fields of an invoice that are the same in its preview; the ids of its lines and its dates are not. */
const LINES = [
  'discounts',
  'subtotal',
  'total',
  'total_discount_amounts',
  'billing_reason',
  'customer',
] as const
const AMOUNTS = ['amount_due', 'starting_balance', 'applied_balance'] as const

/**
 * Previews the invoice of a random change of a plan: the one that the change makes now, or that of the next renewal. The model
 * makes the change in a copy. See docs/contract/invoices.md#preview.
 */
export const previewInvoice: Command = ({ merchant, dice }) => {
  const copy = copyOf(merchant)
  const play = change({ merchant: copy, faults: [], dice }, 'default')
  const key = /sub\d+/.exec(play?.path ?? '')?.[0]
  const subscription = merchant.subscriptions.find((each) => each.key === key)
  if (!play || !subscription || subscription.pending) return null
  const { items, ...options } = play.body ?? {}
  const asked = {
    method: 'POST' as const,
    path: '/v1/invoices/create_preview',
    body: {
      subscription: `{${subscription.key}}`,
      subscription_details: { ...(items !== undefined && { items }), ...options },
    },
  }
  if (play.response === 'refused') return refused(asked)
  const { status, pause, cancelAt, cancelAtPeriodEnd } = subscription
  const isBilledNow = play.emitted.some(isCreated)
  const isPlain = cancelAt === null && !cancelAtPeriodEnd && pause === null
  if (!isBilledNow && !(isPlain && (status === 'active' || status === 'past_due'))) return null
  const emitted = isBilledNow ? play.emitted : runNextBilling(copy, subscription.key)
  const returns = shownIn(emitted)
  return returns ? done({ ...asked, returns }) : null
}

/** The parameters of a new subscription that its preview takes, besides the customer. */
const DETAILS = ['items', 'billing_cycle_anchor', 'proration_behavior', 'trial_end'] as const

/** Previews the first invoice of a random subscription. The model creates it in a copy. */
export const previewSubscription: Command = ({ merchant, dice }) => {
  const copy = copyOf(merchant)
  const play = subscribe({ merchant: copy, faults: [], dice })
  if (!play?.body) return null
  const { customer, discounts, trial_period_days: days, ...given } = play.body
  const at = nowOf(merchant, String(customer).slice(1, -1))
  const wanted = { ...given, ...(days !== undefined && { trial_end: at + Number(days) * DAY }) }
  const details = Object.fromEntries(
    Object.entries(wanted).filter(([name]) => DETAILS.some((each) => each === name)),
  )
  const asked = {
    method: 'POST' as const,
    path: '/v1/invoices/create_preview',
    body: {
      ...{ customer, subscription_details: details },
      ...(discounts !== undefined && { discounts }),
      ...(dice.chance(30) && { currency: 'usd' }),
    },
  }
  if (play.response === 'refused') return refused(asked)
  const subscription = copy.subscriptions.at(-1)
  // A first payment that is declined may leave nothing.
  if (!subscription || play.response !== 'done') return null
  // A preview has the default of the settings that it does not take.
  Object.assign(subscription, { missing: 'create_invoice', collection: 'charge_automatically' })
  const isBilledNow = play.emitted.some(isCreated)
  const emitted = isBilledNow ? play.emitted : runNextBilling(copy, subscription.key)
  const returns = shownIn(emitted)
  const about = emitted.find(isCreated)?.about ?? null
  return returns ? done({ ...asked, returns: withoutIds(returns, merchant, copy, about) }) : null
}

/**
 * Replaces the discounts that only the copy has by the ids of a preview, which number them in the order of the lines, and then of
 * the invoice.
 */
function withoutIds(shown: Shown, { discounts }: Merchant, copy: Merchant, about: string | null): Shown {
  const { lines, discounts: shared } = named<Invoice>(copy.invoices, about?.slice(1, -1) ?? 'an invoice')
  const order = lines.flatMap(({ discounts: own, off }) => [...own, ...off.map(({ discount }) => discount)])
  const isNew = (key: string) => !discounts.some((known) => known.key === key)
  const names = [...new Set([...order, ...shared])].filter(isNew)
  const rename = (text: string, key: string, place: number) =>
    text.replaceAll(`"{${key}}"`, `"di_preview_${place + 1}"`)
  return JSON.parse(names.reduce(rename, JSON.stringify(shown))) as Shown
}

const isCreated = ({ type }: ExpectedEvent): boolean => type === 'invoice.created'

/** What the preview shows of the invoice that some events have made. */
function shownIn(events: readonly ExpectedEvent[]): Shown | null {
  const created = events.find(isCreated)
  const finalized = events.find(({ type, about }) => type === 'invoice.finalized' && about === created?.about)
  if (!created || !finalized) return null
  return {
    ...Object.fromEntries(LINES.map((name) => [name, created.shows[name]])),
    ...Object.fromEntries(AMOUNTS.map((name) => [name, finalized.shows[name]])),
    line_amounts: (created.shows.lines as unknown[][]).map((line) => [line[0], line.at(-1)]),
    ...{ status: 'draft', period_start: created.shows.period_start, period_end: created.shows.period_end },
  }
}
