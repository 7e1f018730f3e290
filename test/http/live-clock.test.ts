import { describe, expect, test } from 'vitest'
import { formatInstant } from '../../src/core/calendar.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { expectRefused, invalid } from './support.ts'

const NOW = 1769853600 // 2026-01-31T10:00:00Z
const DAY = 86_400
const ADVANCE = '/v1/test_helpers/clock/advance'

describe('a live clock', () => {
  /** Opens a sandbox on a live clock, with a settable wall clock. */
  async function live() {
    let wall = NOW * 1000
    const alive = await startTwin({ clock: 'live', wall: () => wall })
    return {
      alive,
      show: () => alive.get('/v1/test_helpers/clock'),
      pass: (seconds: number) => (wall += seconds * 1000),
    }
  }
  const set = (client: Twin, verb: string) => client.post(`/v1/test_helpers/clock/${verb}`)

  test('stops when frozen, and continues from there when unfrozen', async () => {
    const { alive, show, pass } = await live()
    expect(await show()).toMatchObject({ mode: 'live', now: NOW })
    pass(10)
    expect(await set(alive, 'freeze')).toMatchObject({ mode: 'frozen', now: NOW + 10 })
    pass(1_000)
    expect((await show()).now).toBe(NOW + 10)
    expect(await set(alive, 'freeze')).toMatchObject({ mode: 'frozen', now: NOW + 10 })
    expect(await set(alive, 'unfreeze')).toMatchObject({ mode: 'live', now: NOW + 10 })
    pass(5)
    expect((await show()).now).toBe(NOW + 15)
    expect(await set(alive, 'unfreeze')).toMatchObject({ mode: 'live', now: NOW + 15 })
    await alive.close()
  })

  test('never goes back', async () => {
    const { alive, show, pass } = await live()
    pass(100)
    await alive.post('/v1/customers')
    pass(-50)
    expect((await show()).now).toBe(NOW + 100)
    pass(60)
    expect((await show()).now).toBe(NOW + 110)
    await alive.close()
  })

  test('can be advanced and ticks on from there', async () => {
    const { alive, show, pass } = await live()
    const ahead = await alive.advance({ by: '1d' })
    expect(ahead).toMatchObject({ mode: 'live', now: NOW + DAY })
    pass(7)
    expect((await show()).now).toBe(NOW + DAY + 7)
    const past = { to: NOW + DAY }
    await expectRefused(alive, ['POST', ADVANCE, past], invalid('to'))
    await alive.close()
  })

  /** @returns the id of a subscription that is renewed each month */
  async function subscribe(alive: Twin): Promise<string> {
    const price = await makePrice(alive)
    const { customer, method } = await makeCustomer(alive)
    const body = { customer: customer.id, currency: 'usd', default_payment_method: method.id }
    return (await alive.post('/v1/subscriptions', { ...body, items: [{ price: price.id }] })).id
  }

  test('does not go back while it runs due jobs', async () => {
    const { alive, pass } = await live()
    await subscribe(alive)
    pass(58 * DAY)
    const { clock } = alive.sandbox.merchant
    const shown = [clock.now]
    let isDone = false
    const write = alive.post('/v1/customers').finally(() => (isDone = true))
    let hasAdvanced = false
    while (!isDone) {
      await new Promise(setImmediate)
      hasAdvanced ||= clock.target !== null
      shown.push(clock.now)
    }
    await write
    expect(hasAdvanced).toBe(true)
    expect(new Set(shown)).toEqual(new Set([NOW + 58 * DAY]))
    await alive.close()
  })

  test('runs due jobs before it answers', async () => {
    const { alive, pass } = await live()
    const id = await subscribe(alive)
    pass(58 * DAY)
    const { current_period_start, current_period_end } = await alive.get(`/v1/subscriptions/${id}`)
    expect([formatInstant(current_period_start), formatInstant(current_period_end)]).toEqual([
      '2026-02-28T10:00:00Z',
      '2026-03-31T10:00:00Z',
    ])
    expect((await alive.get('/v1/invoices')).data.map((invoice: Body) => invoice.created)).toEqual([
      1772272800,
      NOW,
    ])
    await alive.close()
  })
})
