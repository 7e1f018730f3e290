import { SECONDS_PER_DAY } from '../../src/core/calendar.ts'
import type { Body, Twin } from '../twin.ts'
import { nowOf } from './story.ts'

export type Subscribed = {
  readonly id: string | null
  readonly customer: string
  readonly method: string | null
}

/** Actions that do not change the bill of a period. */
export const PLAIN_ACTIONS = ['cancel at period end', 'cancel', 'pay', 'detach', 'give a default'] as const
/** Actions that change the periods, or the status of an invoice. */
export const OTHER_ACTIONS = [
  'pause',
  'resume',
  'cancel in three days',
  'void',
  'write off',
  'end the trial',
  'take more',
  'take more and prorate',
  'take less and bill',
  'begin a new period',
  'cancel with a credit',
  'take more if it is paid',
  'credit a part',
  'credit the rest',
  'void a credit note',
  'plan phases',
  'plan to end',
  'end the phase',
  'release',
  'cancel the schedule',
] as const
export type ActionKind = (typeof PLAIN_ACTIONS)[number] | (typeof OTHER_ACTIONS)[number]

export const isPlain = (what: ActionKind) => PLAIN_ACTIONS.some((plain) => plain === what)

/** @returns the status of the response, which must be the same at every pace */
export async function act(
  twin: Twin,
  { id, customer, method }: Subscribed,
  what: ActionKind,
): Promise<number> {
  const path = `/v1/subscriptions/${id}`
  const ask = async (verb: string, to: string, body?: Body) => (await twin.request(verb, to, body)).status
  const askOfOldest = async (verb: string) => {
    const { data } = await twin.get(`/v1/invoices?status=open&customer=${customer}`)
    return ask('POST', `/v1/invoices/${data.at(-1)?.id ?? 'in_none'}/${verb}`)
  }
  const item = async (change: Body) => {
    const { body } = await twin.request('GET', path)
    return { id: body.items?.data[0].id, ...change }
  }
  const invoices = async () => (await twin.get(`/v1/invoices?customer=${customer}&limit=100`)).data as Body[]
  const credit = async (amountOf: (invoice: Body) => number) => {
    const all = await invoices()
    const found = all.find(({ status }) => status === 'open') ?? all.find(({ status }) => status === 'paid')
    if (!found) return null
    const amount = amountOf(found)
    const rest = amount - (found.status === 'open' ? Math.min(amount, found.amount_due) : 0)
    return ask('POST', '/v1/credit_notes', {
      ...{ invoice: found.id, amount },
      ...(rest > 0 && { credit_amount: rest }),
    })
  }
  const actions: Readonly<Record<ActionKind, () => Promise<number>>> = {
    cancel: () => ask('DELETE', path),
    'cancel at period end': () => ask('DELETE', path, { cancel_at_period_end: true }),
    'cancel in three days': async () =>
      ask('POST', path, { cancel_at: (await nowOf(twin)) + 3 * SECONDS_PER_DAY }),
    detach: () => ask('POST', `/v1/payment_methods/${method}/detach`),
    'give a default': () =>
      ask('POST', `/v1/customers/${customer}`, {
        invoice_settings: { default_payment_method: 'pm_card_visa' },
      }),
    pay: () => askOfOldest('pay'),
    void: () => askOfOldest('void'),
    'write off': () => askOfOldest('mark_uncollectible'),
    pause: async () =>
      ask('POST', path, {
        pause_collection: { behavior: 'void', resumes_at: (await nowOf(twin)) + 3 * SECONDS_PER_DAY },
      }),
    resume: () => ask('POST', `${path}/resume`),
    'end the trial': () => ask('POST', path, { trial_end: 'now' }),
    'take more': async () => ask('POST', path, { items: [await item({ quantity: 4 })] }),
    'take more and prorate': async () =>
      ask('POST', path, { items: [await item({ quantity: 5 })], proration_behavior: 'create_prorations' }),
    'take less and bill': async () =>
      ask('POST', path, { items: [await item({ quantity: 0 })], proration_behavior: 'always_invoice' }),
    'begin a new period': () =>
      ask('POST', path, { billing_cycle_anchor: 'now', proration_behavior: 'create_prorations' }),
    'take more if it is paid': async () =>
      ask('POST', path, {
        items: [await item({ quantity: 6 })],
        ...{ proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' },
      }),
    'credit a part': async () => (await credit(() => 700)) ?? 0,
    'credit the rest': async () => (await credit(({ total }) => total)) ?? 0,
    'void a credit note': async () => {
      const { data } = await twin.get(`/v1/credit_notes?customer=${customer}&limit=1`)
      return ask('POST', `/v1/credit_notes/${data[0]?.id ?? 'cn_none'}/void`)
    },
    'plan phases': () => plan(twin, path, 'release'),
    'plan to end': () => plan(twin, path, 'cancel'),
    'end the phase': async () => {
      const schedule = await scheduleOf(twin, path)
      const phases = schedule?.phases?.slice(-2).map(phaseOf) ?? []
      const ended = phases.map((phase: Body, index: number) =>
        index === 0 ? { ...phase, end_date: 'now' } : phase,
      )
      for (const phase of ended.slice(1)) delete phase.start_date
      return ask('POST', `/v1/subscription_schedules/${schedule?.id}`, { phases: ended })
    },
    release: async () =>
      ask('POST', `/v1/subscription_schedules/${(await scheduleOf(twin, path))?.id}/release`),
    'cancel the schedule': async () =>
      ask('POST', `/v1/subscription_schedules/${(await scheduleOf(twin, path))?.id}/cancel`),
    'cancel with a credit': () => ask('DELETE', path, { prorate: true, invoice_now: true }),
  }
  return actions[what]()
}

/** The schedule of a subscription; undefined without one. */
async function scheduleOf(twin: Twin, path: string): Promise<Body | undefined> {
  const { body } = await twin.request('GET', path)
  return body.schedule ? twin.get(`/v1/subscription_schedules/${body.schedule}`) : undefined
}

/** The parameters that repeat a phase. */
const phaseOf = ({ items, start_date, end_date, trial_end }: Body): Body => ({
  items: items.map(({ price, quantity }: Body) => ({ price: price.id ?? price, quantity })),
  ...{ start_date, end_date },
  ...(trial_end && { trial_end }),
})

/** Takes a subscription over, and plans a phase of one interval and one that ends within an interval. */
async function plan(twin: Twin, path: string, end_behavior: string): Promise<number> {
  const from_subscription = path.split('/').at(-1)
  const { status, body } = await twin.request('POST', '/v1/subscription_schedules', { from_subscription })
  if (status !== 201) return status
  const current = phaseOf(body.phases[0])
  const [{ price }] = current.items
  const response = await twin.request('POST', `/v1/subscription_schedules/${body.id}`, {
    end_behavior,
    phases: [
      current,
      { items: [{ price, quantity: 2 }], iterations: 1 },
      {
        items: [{ price, quantity: 7 }],
        duration: { interval: 'day', interval_count: 2 },
        proration_behavior: 'always_invoice',
      },
    ],
  })
  return response.status
}
