import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SDK } from '../../http/stripe/check-types.ts'
import type { Body } from '../../twin.ts'
import { Failure } from '../failure.ts'
import type { Story } from './story.ts'

const NAMES = new Set(
  [...readFileSync(join(SDK, 'esm/resources/Events.d.ts'), 'utf8').matchAll(/^ {4}type: '([\w.]+)';$/gm)].map(
    ([, name]) => name,
  ),
)

/** The routes of the objects that events are about. Discounts and previewed invoices have none. */
const PATHS: Readonly<Record<string, string>> = {
  charge: 'charges',
  'checkout.session': 'checkout/sessions',
  coupon: 'coupons',
  credit_note: 'credit_notes',
  customer: 'customers',
  invoice: 'invoices',
  invoice_payment: 'invoice_payments',
  payment_intent: 'payment_intents',
  payment_method: 'payment_methods',
  price: 'prices',
  product: 'products',
  promotion_code: 'promotion_codes',
  setup_intent: 'setup_intents',
  subscription: 'subscriptions',
  subscription_schedule: 'subscription_schedules',
}

/** Fields that may change without an event. */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  // A failed refund restores the amount, and a dispute begins after the charge.
  charge: ['amount_refunded', 'disputed', 'refunded'],
  coupon: ['times_redeemed', 'valid'],
  customer: [
    'balance',
    'currency',
    'delinquent',
    'discount',
    'invoice_credit_balance',
    'next_invoice_sequence',
  ],
  // A void invoice cancels its intent, and a credit note reduces the amount.
  payment_intent: ['amount', 'canceled_at', 'cancellation_reason', 'next_action', 'status'],
  promotion_code: ['active', 'promotion', 'times_redeemed'],
}

/**
 * Checks the events of a step: their names, that the newest event of an object shows it as it is, and that undoing an update
 * gives the object of the event before.
 * @param from - the number of events before the step
 * @throws Failure
 */
export async function checkEvents(story: Story, from: number): Promise<void> {
  const events = story.events.slice(from)
  for (const { type, id } of events)
    if (!NAMES.has(type)) throw new Failure('events', `${id} has the unknown type ${type}`)
  const newest = new Map(events.map((event) => [event.data.object.id as string | undefined, event]))
  for (const [id, event] of newest) if (id) await expectPresent(story, event)
  for (const [index, event] of story.events.entries()) if (index >= from) expectUndone(story, index, event)
}

async function expectPresent(story: Story, { type, data: { object } }: Body): Promise<void> {
  const path = PATHS[object.object]
  if (path === undefined || object.deleted || type === 'invoice.upcoming') return
  const { status, body } = await story.send({ method: 'GET', path: `/v1/${path}/${object.id}` })
  if (status === 404 && type.endsWith('.deleted')) return
  if (body.deleted) return
  const silent = SILENT[object.object] ?? []
  const names = new Set([...Object.keys(body), ...Object.keys(object)])
  const differing = [...names].filter(
    (name) => !silent.includes(name) && JSON.stringify(body[name]) !== JSON.stringify(object[name]),
  )
  if (differing.length === 0) return
  const lines = differing.map(
    (name) => `${name} is ${JSON.stringify(body[name])}, in the event ${JSON.stringify(object[name])}`,
  )
  throw new Failure('present', `${type} of ${object.id}: ${lines.join('; ')}`)
}

/** Undoes the update of an object. Objects in lists are compared as a whole. */
function expectUndone(story: Story, index: number, { type, data }: Body): void {
  const { object, previous_attributes } = data
  if (type !== 'customer.subscription.updated') return
  if (Object.keys(previous_attributes ?? {}).length === 0)
    throw new Failure('updates', `${type} of ${object.id} reports no change`)
  const before = story.events.slice(0, index).findLast(({ data: { object: each } }) => each.id === object.id)
    ?.data.object
  const undone = undo(object, previous_attributes)
  for (const name of Object.keys(object))
    if (textOf(undone[name]) !== textOf(before?.[name]))
      throw new Failure(
        'updates',
        `${type} of ${object.id}: ${name} was ${JSON.stringify(undone[name])} by previous_attributes, in the event before ${JSON.stringify(before?.[name])}`,
      )
}

/** Formats a value without fields that are null, and with its fields in alphabetical order. */
const textOf = (value: unknown): string | undefined =>
  JSON.stringify(value, (_, each) =>
    isBody(each)
      ? Object.fromEntries(
          Object.entries(each)
            .filter(([, field]) => field !== null)
            .sort(([left], [right]) => (left < right ? -1 : 1)),
        )
      : (each ?? null),
  )

const isBody = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Previous attributes are nested: an object has only its changed fields. A key that was added was null. */
function undo(object: Body, previous: Body): Body {
  const undone = { ...object }
  for (const [name, was] of Object.entries(previous)) {
    undone[name] = isBody(was) && isBody(object[name]) ? undo(object[name], was) : was
  }
  return undone
}
