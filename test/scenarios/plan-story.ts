import { type Body, makePrice, type Twin } from '../twin.ts'
import { listAll, openTwin, subscribe } from './story.ts'

/** A month of 30 days, so that 16 April is its middle. */
export const START = '2026-04-01T00:00:00Z'
export const MIDDLE = '2026-04-16T00:00:00Z'
export const END = '2026-05-01T00:00:00Z'

export const nameOf = ({ nickname }: Body) => nickname as string

/** A subscription to Basic, 20.00 USD a month, and the prices that it can change to. */
export async function begin(given: Body = {}) {
  const twin = await openTwin({ now: START })
  const { customer, subscription, method } = await subscribe(twin, { price: { nickname: 'Basic' }, ...given })
  const [item] = subscription.items.data
  const prices = {
    pro: (await makePrice(twin, { unit_amount: 5000, nickname: 'Pro' })).id,
    max: (await makePrice(twin, { unit_amount: 9000, nickname: 'Max' })).id,
    free: (await makePrice(twin, { unit_amount: 0, nickname: 'Free' })).id,
    yearly: (
      await makePrice(twin, { unit_amount: 20_000, nickname: 'Year', recurring: { interval: 'year' } })
    ).id,
  }
  const path = `/v1/subscriptions/${subscription.id}`
  return {
    ...{ twin, customer, subscription, method, prices, item: item.id as string, path },
    basic: item.price.id as string,
    change: (params: Body, behavior = 'create_prorations') =>
      twin.post(path, { proration_behavior: behavior, ...params }),
  }
}

/** The lines of an invoice: amount and description. */
export const linesOf = ({ lines }: Body): string[] =>
  lines.data.map(({ amount, description }: Body) => `${amount} ${description}`)

export const newestInvoice = async (twin: Twin): Promise<Body> =>
  (await twin.get('/v1/invoices?limit=1')).data[0]

export const pendingAmounts = async (twin: Twin): Promise<number[]> =>
  (await listAll(twin, '/v1/invoiceitems?pending=true')).map(({ amount }) => amount)

/** The balance of a customer in one currency. */
export const balanceOf = async (twin: Twin, { id }: Body, currency = 'usd'): Promise<number> =>
  (await twin.get(`/v1/customers/${id}`)).invoice_credit_balance[currency] ?? 0

/** The type and the amount of each balance transaction of a customer, oldest first. */
export const transactionsOf = async (twin: Twin, { id }: Body): Promise<string[]> =>
  (await listAll(twin, `/v1/customers/${id}/balance_transactions`)).map(
    ({ type, amount }) => `${type} ${amount}`,
  )

/** All invoices, oldest first: status, total and amount due. */
export const invoicesOf = async (twin: Twin): Promise<string[]> =>
  (await listAll(twin, '/v1/invoices')).map(
    ({ status, total, amount_due }) => `${status} ${total} due ${amount_due}`,
  )

/** Gives a customer a credit, with a negative amount, or a debt. */
export const adjust = (twin: Twin, { id }: Body, amount: number, currency = 'usd'): Promise<Body> =>
  twin.post(`/v1/customers/${id}/balance_transactions`, { amount, currency })
