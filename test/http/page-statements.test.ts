import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Statement } from '../../src/store/statements.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'

const SUBSCRIPTIONS = 10
/** The statements of any page. Each kind of object on it takes some. */
const MOST = 30

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
  const price = await makePrice(twin)
  for (let n = 0; n < SUBSCRIPTIONS; n += 1) {
    const { customer, method } = await makeCustomer(twin)
    await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
  }
  // Long enough for keyframes of the subscriptions.
  await twin.advance({ by: '70mo' })
})
afterAll(() => twin.close())

/** Returns the id of the event with a number. */
function eventOf(number: number): string {
  const { engine, merchant } = twin.sandbox
  return engine.ids.of(merchant.settings.ordinal, 'evt', number)
}

/** Counts the statements of a request if no object is in memory. */
async function statementsOf<T>(act: () => Promise<T>): Promise<{ result: T; statements: number }> {
  twin.sandbox.engine.store.objects.forget()
  const spies = [vi.spyOn(Statement.prototype, 'all'), vi.spyOn(Statement.prototype, 'get')]
  try {
    const result = await act()
    return { result, statements: spies.reduce((sum, { mock }) => sum + mock.calls.length, 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

describe('a page of 100 takes few statements', () => {
  test.each([
    ['the newest events', () => ''],
    ['the oldest events', () => `&starting_after=${eventOf(102)}`],
    ['events in the middle', () => `&starting_after=${eventOf(2_000)}`],
    ['events of one type', () => '&type=payment_intent.succeeded'],
  ])('of %s, which are the same as when read one by one', async (_, query) => {
    const path = `/v1/events?limit=100${query()}`
    const { result, statements } = await statementsOf(() => twin.get(path))
    expect(statements).toBeLessThan(MOST)
    for (const event of result.data as Body[]) expect(await twin.get(`/v1/events/${event.id}`)).toEqual(event)
  })

  test.each([
    '/v1/payment_intents?limit=100',
    '/v1/charges?limit=100',
    '/v1/invoices?limit=100&expand[]=data.customer&expand[]=data.payment_intent.latest_charge',
    '/v1/subscriptions?limit=100&expand[]=data.default_payment_method&expand[]=data.latest_invoice.charge',
  ])('of %s', async (path) => {
    const { statements } = await statementsOf(() => twin.get(path))
    expect(statements).toBeLessThan(MOST)
  })
})
