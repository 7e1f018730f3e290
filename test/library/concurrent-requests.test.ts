import { expect, onTestFinished, test, vi } from 'vitest'
import type { Paytwin } from '../../src/index.ts'
import { open } from './twin.ts'

/** Makes each reading of the stopwatch a second later than the one before, as on a very slow machine. */
function slowDown(): void {
  let seconds = 0
  const spy = vi.spyOn(process, 'hrtime').mockImplementation(() => {
    seconds += 1
    return [seconds, 0]
  })
  onTestFinished(() => spy.mockRestore())
}

/** Lists the types and ids of all events, and the names of their objects. */
async function eventsOf(twin: Paytwin): Promise<string[]> {
  const events = await twin.events.list()
  return events.map(({ type, id, data }) => `${type} ${id} ${'name' in data.object ? data.object.name : ''}`)
}

/** Runs flows at the same time that take different numbers of requests. */
async function runFlows(): Promise<string[]> {
  const twin = await open()
  const create = (name: string) => twin.post<{ id: string }>('/v1/customers', { name })
  const rename = async (name: string) =>
    twin.post(`/v1/customers/${(await create(`${name} at first`)).id}`, { name })
  const createLater = async (name: string) => {
    await twin.get('/v1/customers?limit=100')
    return create(name)
  }
  const flows = Array.from({ length: 20 }, (_, at) => [
    createLater(`after a read ${at}`),
    create(`at once ${at}`),
    rename(`renamed ${at}`),
    twin.get('/v1/events'),
  ])
  await Promise.all(flows.flat())
  return eventsOf(twin)
}

/** Creates customers one after the other while a test clock advances by 50 daily renewals. */
async function createDuringAdvance(): Promise<string[]> {
  const twin = await open({ dialect: 'stripe' })
  const now = Math.floor(twin.clock.now.getTime() / 1000)
  const clock = await twin.post<{ id: string }>('/v1/test_helpers/test_clocks', { frozen_time: now })
  const price = await twin.post<{ id: string }>('/v1/prices', {
    unit_amount: 500,
    currency: 'usd',
    recurring: { interval: 'day' },
    product_data: { name: 'Daily' },
  })
  const customer = await twin.post<{ id: string }>('/v1/customers', {
    test_clock: clock.id,
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  await twin.post('/v1/subscriptions', { customer: customer.id, items: [{ price: price.id }] })
  const createAll = async (name: string) => {
    for (let n = 0; n < 5; n += 1) await twin.post('/v1/customers', { name: `${name} ${n}` })
  }
  await Promise.all([
    twin.post(`/v1/test_helpers/test_clocks/${clock.id}/advance`, { frozen_time: now + 50 * 86_400 }),
    ...Array.from({ length: 5 }, (_, at) => createAll(`flow ${at}`)),
  ])
  while ((await twin.get<{ status: string }>(`/v1/test_helpers/test_clocks/${clock.id}`)).status !== 'ready');
  return eventsOf(twin)
}

test.each([
  ['requests', runFlows, 80],
  ['requests during an advance', createDuringAdvance, 400],
])('concurrent %s run in one order, however slow the machine is', async (_, run, least) => {
  const order = await run()
  slowDown()
  expect(await run()).toEqual(order)
  expect(order.length).toBeGreaterThanOrEqual(least)
})
