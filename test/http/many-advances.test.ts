import { afterAll, beforeAll, expect, test } from 'vitest'
import { nextTurn } from '../../src/engine/machine/gate.ts'
import { startTwin, type Twin } from '../twin.ts'

const CLOCKS = 20

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

/** Creates a test clock with a daily subscription. */
async function daily(price: string): Promise<string> {
  const { id } = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: 1_767_225_600 })
  const customer = await twin.post('/v1/customers', { test_clock: id })
  const card = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: card.id,
    items: [{ price }],
  })
  return id
}

test('each turn of the event loop has a batch of one clock only, however many advance', async () => {
  const price = await twin.post('/v1/prices', {
    unit_amount: 100,
    currency: 'usd',
    recurring: { interval: 'day' },
  })
  const clocks: string[] = []
  while (clocks.length < CLOCKS) clocks.push(await daily(price.id))
  let isDone = false
  const advances = Promise.all(
    clocks.map((id) => twin.post(`/v1/test_helpers/test_clocks/${id}/advance`, { by: '1y' })),
  ).then(() => {
    isDone = true
  })
  const turns: number[] = []
  while (!isDone) {
    const before = process.cpuUsage()
    await nextTurn()
    const { user, system } = process.cpuUsage(before)
    turns.push((user + system) / 1_000)
  }
  await advances
  // A batch takes 20 ms. If each clock had one in the same turn, most turns would take 400.
  const longest = turns.sort((left, right) => right - left).slice(0, 5)
  expect(longest.at(-1)).toBeLessThan(120)
})
