import { change } from './commands-plan.ts'
import { runNextBilling } from './model-clock.ts'
import { copyOf } from './model-copy.ts'
import type { ExpectedEvent } from './model-events.ts'
import { type Command, done, refused } from './model-play.ts'
import type { Shown } from './model-shown.ts'

/** The fields of an invoice that are the same in its preview; the ids of its lines and its dates are not. */
const LINES = ['subtotal', 'total', 'total_discount_amounts', 'billing_reason', 'customer'] as const
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
