import { expect } from 'vitest'
import { formatDate } from '../../src/core/calendar.ts'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, PACES } from './story.ts'

/** Basic is 20.00 USD a month, Pro 50.00 USD a month, Year 200.00 USD a year. */
export type Prices = { readonly basic: string; readonly pro: string; readonly year: string }

export async function makePrices(twin: Twin): Promise<Prices> {
  const make = async (params: Body): Promise<string> => (await makePrice(twin, params)).id
  return {
    basic: await make({ nickname: 'Basic' }),
    pro: await make({ unit_amount: 5000, nickname: 'Pro' }),
    year: await make({ unit_amount: 20_000, nickname: 'Year', recurring: { interval: 'year' } }),
  }
}

/** A phase of one item. */
export const phase = (price: string, params: Body = {}): Body => ({ items: [{ price }], ...params })

export const schedulePath = ({ id }: Body): string => `/v1/subscription_schedules/${id}`

/** Creates a schedule of a customer with a card, which starts now. */
export async function makeSchedule(twin: Twin, params: (prices: Prices, twin: Twin) => Body | Promise<Body>) {
  const prices = await makePrices(twin)
  const { customer, method } = await makeCustomer(twin)
  const schedule = await twin.post('/v1/subscription_schedules', {
    customer: customer.id,
    start_date: 'now',
    default_settings: { default_payment_method: method.id },
    ...(await params(prices, twin)),
  })
  const read = () => twin.get(schedulePath(schedule))
  return { twin, prices, customer, method, schedule, read }
}

/** All invoices, oldest first: the date, the total, and the end of the period. */
export const billsOf = async (twin: Pick<Twin, 'get'>): Promise<string[]> =>
  (await listAll(twin, '/v1/invoices')).map(
    ({ created, total, period_end }) => `${formatDate(created)} ${total} to ${formatDate(period_end)}`,
  )

/** The events of schedules, oldest first: the date and the word. */
export const stepsOf = async (twin: Twin): Promise<string[]> =>
  (await twin.events('&type=subscription_schedule.*')).map(
    ({ type, created }) => `${formatDate(created)} ${type.split('.')[1]}`,
  )

/**
 * Plays a schedule in one jump and from job to job, and checks that both histories are the same byte for byte.
 * @returns the twin at the end
 */
export async function playSchedule(
  { now, until }: { now: string; until: string },
  params: (prices: Prices, twin: Twin) => Body | Promise<Body>,
  meanwhile: (story: Awaited<ReturnType<typeof makeSchedule>>) => Promise<unknown> = async () => undefined,
) {
  const played = []
  for (const pace of ['one jump', 'a step to each due instant']) {
    const twin = await openTwin({ now })
    const story = await makeSchedule(twin, params)
    await meanwhile(story)
    await PACES[pace]?.(twin, at(until))
    played.push({ ...story, bytes: bytesOf(await historyOf(twin)) })
  }
  const [jump, steps] = played
  expect(steps?.bytes).toEqual(jump?.bytes)
  if (!jump) throw new Error('a pace was played')
  return jump
}
