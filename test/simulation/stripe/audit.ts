import { holdAlways } from '../../scenarios/invariants.ts'
import { bytesOf, historyOf } from '../../scenarios/story.ts'
import type { Body } from '../../twin.ts'
import { listAll } from '../client.ts'
import { Failure } from '../failure.ts'
import type { Story } from './story.ts'

const LISTS = [
  'test_helpers/test_clocks',
  'products',
  'prices',
  'coupons',
  'promotion_codes',
  'customers',
  'subscriptions?status=all',
  'subscription_schedules',
  'invoices',
  'invoiceitems',
  'invoice_payments',
  'payment_intents',
  'setup_intents',
  'checkout/sessions',
  'charges',
  'refunds',
  'credit_notes',
  'disputes',
  'balance_transactions',
  'events',
] as const

/** The lists whose objects have events, beside those of the scenarios. */
const OTHERS = ['products', 'coupons', 'promotion_codes'] as const

const HOUR = 3_600
const DAY = 24 * HOUR

/** Checks all objects in Stripe's form, and those of the same merchant in paytwin's own form. @throws Failure */
export async function audit(story: Story): Promise<void> {
  const get = (path: string) => story.readOwn(path)
  const history = await historyOf({ get })
  const others: Record<string, Body[]> = {}
  for (const name of OTHERS) others[name] = await listOwn(story, `/v1/${name}?`)
  const invoiceOf = new Map(
    [...history.payment_intents, ...history.charges].map(({ id, invoice }) => [id, invoice]),
  )
  history.events = history.events.filter(isOwn).map((event) => withLaterInvoice(event, invoiceOf))
  const transactions: Body[] = []
  for (const { id } of history.customers) {
    transactions.push(...(await listOwn(story, `/v1/customers/${id}/balance_transactions?`)))
  }
  try {
    holdAlways({ ...history, ...others }, transactions)
  } catch (error) {
    const { message, actual, expected } = error as Error & { actual?: unknown; expected?: unknown }
    throw new Failure('invariants', `${message}\n  ${JSON.stringify(actual)}\n  ${JSON.stringify(expected)}`)
  }
  const clocks = await story.list('/v1/test_helpers/test_clocks')
  const times = new Map<string, number>(clocks.map(({ id, frozen_time }) => [id, frozen_time]))
  const nowOf = ({ test_clock }: Body): number => (test_clock ? (times.get(test_clock) ?? 0) : story.now)
  const invoices = await story.list('/v1/invoices')
  for (const invoice of invoices) {
    expectSums(invoice)
    expectDates(invoice, nowOf(invoice))
  }
  for (const session of await story.list('/v1/checkout/sessions'))
    expectSession(session, nowOf({ test_clock: await testClockOf(story, session) }))
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]))
  for (const subscription of await story.list('/v1/subscriptions?status=all'))
    expectStatus(subscription, byId.get(subscription.latest_invoice), nowOf(subscription))
}

/** Returns whether an event is about an object of paytwin's own API, and an update of its fields there. */
const isOwn = ({ data: { object, previous_attributes } }: Body): boolean =>
  !['setup_intent', 'invoice_payment', 'checkout_session', 'test_clock'].includes(object.object) &&
  (previous_attributes === undefined || Object.keys(previous_attributes).length > 0)

/** A Checkout session makes the invoice after its payment, whose objects get the invoice without an event. */
function withLaterInvoice(event: Body, invoiceOf: ReadonlyMap<string, string | null>): Body {
  const { object } = event.data
  const isPayment = object.object === 'payment_intent' || object.object === 'charge'
  if (!isPayment || object.invoice !== null || object.status !== 'succeeded') return event
  return {
    ...event,
    data: { ...event.data, object: { ...object, invoice: invoiceOf.get(object.id) ?? null } },
  }
}

/** Lists objects in paytwin's own form, oldest first. */
const listOwn = (story: Story, path: string): Promise<Body[]> =>
  listAll((page) => story.operate('GET', `merchants/${story.merchant}${page}`), path)

/** Fails unless all claims about an object are true. */
function hold(object: Body, claims: Readonly<Record<string, boolean>>): void {
  const wrong = Object.keys(claims).filter((claim) => !claims[claim])
  if (wrong.length > 0)
    throw new Failure('consistency', `${object.id}: ${wrong.join('; ')}\n  ${JSON.stringify(object)}`)
}

const sumOf = (objects: readonly Body[], field = 'amount'): number =>
  objects.reduce((sum, object) => sum + (object[field] ?? 0), 0)

function expectSums(invoice: Body): void {
  const { lines, subtotal, total, amount_due, amount_paid, amount_remaining, starting_balance } = invoice
  const off = sumOf(invoice.total_discount_amounts)
  const credited = invoice.pre_payment_credit_notes_amount
  hold(invoice, {
    'the subtotal is the sum of the lines': lines.has_more || sumOf(lines.data) === subtotal,
    'discounts of the lines are those of the invoice':
      lines.has_more || sumOf(lines.data.flatMap(({ discount_amounts }: Body) => discount_amounts)) === off,
    'the total is the subtotal without discounts': total === subtotal - off,
    'the amount due is the total with the balance, without credit notes':
      amount_due === Math.max(0, total + starting_balance) - credited,
    'what is paid and what remains is the amount due': amount_paid + amount_remaining === amount_due,
    'payments add up to what is paid': sumOf(invoice.payments.data, 'amount_paid') === amount_paid,
    'a paid invoice has nothing left to pay': invoice.status !== 'paid' || amount_remaining === 0,
  })
}

function expectDates(invoice: Body, now: number): void {
  const { status, next_payment_attempt, automatically_finalizes_at: finalizes, created } = invoice
  const { finalized_at, paid_at, voided_at } = invoice.status_transitions
  hold(invoice, {
    'nothing is due in the past': (next_payment_attempt ?? now + 1) > now && (finalizes ?? now + 1) > now,
    'only a draft will be finalized': finalizes === null || status === 'draft',
    'the draft of a renewal is finalized after an hour':
      finalizes === null ||
      invoice.billing_reason !== 'subscription_cycle' ||
      finalizes <= Math.max(now, created) + HOUR,
    'only a draft has no number': (status === 'draft') === (invoice.number === null),
    'a finalized invoice has its time': (finalized_at === null) === (status === 'draft'),
    'a paid invoice has its time': (paid_at !== null) === (status === 'paid'),
    'a void invoice has its time': (voided_at !== null) === (status === 'void'),
    'a retry is within the schedule':
      status !== 'open' || next_payment_attempt === null || next_payment_attempt <= now + 7 * DAY,
  })
}

/** Returns the test clock of the customer of a session; null for none. A deleted customer no longer shows its clock. */
async function testClockOf(story: Story, { customer }: Body): Promise<string | null> {
  if (customer === null) return null
  const { body } = await story.send({ method: 'GET', path: `/v1/customers/${customer}` })
  return body.deleted ? 'unknown' : (body.test_clock ?? null)
}

function expectSession(session: Body, now: number): void {
  const { status, payment_status, mode, amount_total, subscription, expires_at, url } = session
  const isComplete = status === 'complete'
  hold(session, {
    'only an open session has a page': (url !== null) === (status === 'open'),
    'an open session has not expired': status !== 'open' || session.recovered_from || expires_at > now,
    'a completed session has its subscription':
      (subscription !== null) === (isComplete && mode === 'subscription'),
    'only a completed session is paid': payment_status !== 'paid' || isComplete,
    'a session with nothing to pay has no payment': payment_status !== 'paid' || amount_total > 0,
    'setup needs no payment': mode !== 'setup' || payment_status === 'no_payment_required',
  })
}

/** Statuses that ended a subscription. */
const ENDED = ['canceled', 'incomplete_expired']

function expectStatus(subscription: Body, latest: Body | undefined, now: number): void {
  const { status, ended_at, cancel_at, created, trial_end, items, pause_collection } = subscription
  const hasEnded = ENDED.includes(status)
  const isRunning = ['active', 'past_due', 'trialing', 'unpaid'].includes(status)
  const [{ current_period_start: start, current_period_end: end }] = items.data
  hold(subscription, {
    'what has ended has its time': (ended_at !== null) === hasEnded,
    'a cancellation is not in the past': !isRunning || cancel_at === null || cancel_at > now,
    'the period is the current one': !isRunning || (start <= now && now < end),
    'a trial has its end': status !== 'trialing' || trial_end > now,
    'an incomplete subscription is younger than 23 hours':
      status !== 'incomplete' || (now < created + 23 * HOUR && latest?.status === 'open'),
    'an expired subscription has a closed invoice':
      status !== 'incomplete_expired' || ['void', 'uncollectible', 'paid'].includes(latest?.status),
    'an active subscription has no failed payment':
      status !== 'active' ||
      latest?.status !== 'open' ||
      latest.collection_method === 'send_invoice' ||
      subscription.pending_update !== null ||
      pause_collection !== null ||
      !latest.attempted,
  })
}

/** Reads every object and event without the random ids of requests. Events must be the same as when they were first read. */
export async function bytesOfStory(story: Story): Promise<string[]> {
  const history: Record<string, Body[]> = {}
  for (const name of LISTS) history[name] = await story.list(`/v1/${name}`)
  const { customers = [], events = [] } = history
  for (const { id } of customers) {
    history[`${id} methods`] = await story.list(`/v1/customers/${id}/payment_methods`)
    history[`${id} balance`] = await story.list(`/v1/customers/${id}/balance_transactions`)
  }
  if (events.length !== story.events.length)
    throw new Failure('journal', `${story.events.length} events were seen, there are ${events.length}`)
  for (const [index, event] of events.entries()) {
    const [is, was] = [JSON.stringify(event), JSON.stringify(story.events[index])]
    if (is !== was) throw new Failure('journal', `an event has changed\n  ${was}\n  ${is}`)
    if (event.request.id !== null) event.request.id = 'req'
  }
  // Each move of a test clock has events of its own.
  history.events = events.filter(({ type }) => !type.startsWith('test_helpers.'))
  return bytesOf(history as Parameters<typeof bytesOf>[0])
}
