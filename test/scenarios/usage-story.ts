import { type Body, makePrice, type Twin } from '../twin.ts'
import { listAll, openTwin, subscribe } from './story.ts'

/** April has 30 days, so 16 April is its middle. */
export const START = '2026-04-01T00:00:00Z'
export const MIDDLE = '2026-04-16T00:00:00Z'
export const END = '2026-05-01T00:00:00Z'

export const makeMeter = (twin: Twin, formula = 'sum', event_name = 'calls'): Promise<Body> =>
  twin.post('/v1/billing/meters', { display_name: 'Calls', event_name, default_aggregation: { formula } })

/** Creates a monthly price of a meter. */
export const makeMetered = (twin: Twin, meter: string, price: Body = {}): Promise<Body> =>
  makePrice(twin, {
    ...{ unit_amount: 5, nickname: 'Calls', ...price },
    recurring: { interval: 'month', usage_type: 'metered', meter },
  })

/** A customer who is subscribed to a metered price of 0.05 USD for each call, or to another one. */
export async function begin(
  price: Body = {},
  { formula = 'sum', now = START, more = [], ...given }: Body = {},
) {
  const twin = await openTwin({ now })
  const { id: meter } = await makeMeter(twin, formula)
  const metered = await makeMetered(twin, meter, price)
  const others: Body[] = []
  for (const other of more) others.push({ price: (await makePrice(twin, other)).id })
  const { customer, subscription, method } = await subscribe(twin, {
    items: [{ price: metered.id }, ...others],
    ...given,
  })
  return {
    ...{ twin, meter, metered, customer, subscription, method },
    item: subscription.items.data[0].id as string,
    path: `/v1/subscriptions/${subscription.id}`,
    report: (value: string | number, params: Body = {}) =>
      twin.post('/v1/billing/meter_events', {
        event_name: 'calls',
        payload: { stripe_customer_id: customer.id, value: String(value) },
        ...params,
      }),
  }
}

/** The lines of an invoice: amount and description. */
export const linesOf = ({ lines }: Body): string[] =>
  lines.data.map(({ amount, description }: Body) => `${amount} ${description}`)

/** All invoices, oldest first: status, total and lines. */
export const invoicesOf = async (twin: Twin): Promise<string[]> =>
  (await listAll(twin, '/v1/invoices')).map((invoice) =>
    [`${invoice.status} ${invoice.total}`, ...linesOf(invoice)].join(' | '),
  )

export const newestInvoice = async (twin: Twin): Promise<Body> =>
  (await twin.get('/v1/invoices?limit=1')).data[0]
