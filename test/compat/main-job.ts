import createClient from 'openapi-fetch'
import type { paths } from 'paytwin-api'

/*
 * The main tasks of a merchant, with a client that is generated from the OpenAPI document. The tests generate the types of
 * 'paytwin-api' from /openapi.json, check this program against them, and run it.
 */

/** The url of a service and a key. */
export type Service = { readonly baseUrl: string; readonly secretKey: string }

export const connect = ({ baseUrl, secretKey }: Service) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${secretKey}` } })

type Client = ReturnType<typeof connect>

/** Returns the data of a response, which must be a success. */
function given<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

/** Returns the id in a field that may be expanded or absent. */
const idOf = (field: string | { id: string } | null | undefined): string =>
  typeof field === 'string' ? field : (field?.id ?? '')

/** Creates a customer, and sets, merges and unsets metadata. */
export async function keepCustomer(api: Client) {
  const body = { email: 'ada@example.com', metadata: { plan: 'pro', team: 'core' } }
  const { id } = given(await api.POST('/v1/customers', { body }))
  const params = { path: { id } }
  given(await api.POST('/v1/customers/{id}', { params, body: { name: 'Ada', metadata: { plan: '' } } }))
  return given(await api.GET('/v1/customers/{id}', { params }))
}

/** Creates a monthly subscription to two seats. @param outcomes - the outcomes of its payments */
export async function subscribe(api: Client, outcomes: string[]) {
  const customer = given(await api.POST('/v1/customers', { body: { name: 'Grace' } }))
  const card = given(
    await api.POST('/v1/payment_methods/{id}/attach', {
      params: { path: { id: 'pm_card_visa' } },
      body: { customer: customer.id },
    }),
  )
  given(
    await api.POST('/v1/test_helpers/payment_methods/{id}/outcomes', {
      params: { path: { id: card.id } },
      body: { outcomes },
    }),
  )
  const product = given(await api.POST('/v1/products', { body: { name: 'Pro' } }))
  const price = given(
    await api.POST('/v1/prices', {
      body: { product: product.id, unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } },
    }),
  )
  return given(
    await api.POST('/v1/subscriptions', {
      body: {
        customer: customer.id,
        currency: 'usd',
        default_payment_method: card.id,
        items: [{ price: price.id, quantity: 2 }],
      },
    }),
  )
}

/** Returns the statuses of a subscription through a declined renewal, its recovery and its end. */
export async function liveThrough(api: Client, id: string) {
  const params = { path: { id } }
  const statusAfter = async (by: string): Promise<string> => {
    given(await api.POST('/v1/test_helpers/clock/advance', { body: { by } }))
    return given(await api.GET('/v1/subscriptions/{id}', { params })).status
  }
  const statuses = [await statusAfter('1mo'), await statusAfter('1d')]
  given(await api.DELETE('/v1/subscriptions/{id}', { params, body: { cancel_at_period_end: true } }))
  return [...statuses, await statusAfter('1mo')]
}

/** Returns the totals of a subscription's invoices, newest first. */
export async function invoicesOf(api: Client, subscription: string) {
  const { data } = given(await api.GET('/v1/invoices', { params: { query: { subscription, limit: 100 } } }))
  const sums: string[] = []
  for (const { status, amount_paid, attempt_count } of data) {
    sums.push(`${status}: ${amount_paid} after ${attempt_count}`)
  }
  return sums
}

/** Reads the customer of a subscription and the charge of its newest invoice in one call. */
export async function payerOf(api: Client, id: string) {
  const query = { 'expand[]': ['customer', 'latest_invoice.payment_intent.payment_method'] }
  const found = given(await api.GET('/v1/subscriptions/{id}', { params: { path: { id }, query } }))
  const { customer, latest_invoice } = found
  if (typeof customer === 'string' || !('name' in customer)) return undefined
  const intent = typeof latest_invoice === 'object' ? latest_invoice?.payment_intent : undefined
  const method = typeof intent === 'object' ? intent?.payment_method : undefined
  return { name: customer.name, last4: typeof method === 'object' ? method?.card?.last4 : undefined }
}

/** Counts the newest invoices that were created at an instant or within bounds. */
export async function countInvoices(api: Client, created: number | { gte: number; lt: number }) {
  const { data } = given(await api.GET('/v1/invoices', { params: { query: { created } } }))
  return data.length
}

/** Pays a subscription's open invoice with another card, and returns the subscription afterwards. */
export async function payByHand(api: Client, subscription: string) {
  const params = { path: { id: subscription } }
  const { customer } = given(await api.GET('/v1/subscriptions/{id}', { params }))
  const card = given(
    await api.POST('/v1/payment_methods/{id}/attach', {
      params: { path: { id: 'pm_card_visa' } },
      body: { customer: idOf(customer) },
    }),
  )
  const query = { subscription, status: 'open' } as const
  const { data } = given(await api.GET('/v1/invoices', { params: { query } }))
  for (const { id } of data) {
    const body = { payment_method: card.id }
    given(await api.POST('/v1/invoices/{id}/pay', { params: { path: { id } }, body }))
  }
  return given(await api.GET('/v1/subscriptions/{id}', { params }))
}

/** Creates a draft with an item and finalizes it. Returns the open invoice. */
export async function fillDraft(api: Client, customer: string) {
  const currency = 'usd'
  const draft = given(await api.POST('/v1/invoices', { body: { customer, currency } }))
  const body = { customer, currency, invoice: draft.id, amount: 700, description: 'Setup' }
  const item = given(await api.POST('/v1/invoiceitems', { body }))
  const params = { path: { id: item.id } }
  given(await api.POST('/v1/invoiceitems/{id}', { params, body: { amount: 900 } }))
  return given(await api.POST('/v1/invoices/{id}/finalize', { params: { path: { id: draft.id } } }))
}

/** Pays, and refunds a part. Returns the charge afterwards. */
export async function refundPart(api: Client) {
  const { id } = given(await api.POST('/v1/payment_intents', { body: { amount: 1500, currency: 'usd' } }))
  const confirmed = given(
    await api.POST('/v1/payment_intents/{id}/confirm', {
      params: { path: { id } },
      body: { payment_method: 'pm_card_visa' },
    }),
  )
  given(await api.POST('/v1/refunds', { body: { payment_intent: id, amount: 400 } }))
  const params = { path: { id: idOf(confirmed.latest_charge) } }
  return given(await api.GET('/v1/charges/{id}', { params }))
}

/** Returns the errors of a declined card and of an unknown id. */
export async function beRefused(api: Client) {
  const body = { amount: 900, currency: 'usd', payment_method: 'pm_card_chargeDeclined', confirm: true }
  const declined = await api.POST('/v1/payment_intents', { body })
  const unknown = await api.GET('/v1/customers/{id}', { params: { path: { id: 'cus_none' } } })
  return [declined, unknown].map(({ error, response }) => ({ status: response.status, ...error?.error }))
}

/** Makes two calls with one idempotency key. Returns the ids, and whether the second response was a replay. */
export async function createTwice(api: Client) {
  const create = () =>
    api.POST('/v1/customers', { params: { header: { 'Idempotency-Key': 'once' } }, body: { name: 'Once' } })
  const [first, second] = [await create(), await create()]
  const isReplayed = second.response.headers.get('Idempotent-Replayed') === 'true'
  return { ids: [given(first).id, given(second).id], isReplayed }
}

/** Returns the names of all customers with an email address, page by page, newest first. */
export async function walk(api: Client, email: string) {
  const seen: { id: string; name: string | null }[] = []
  for (;;) {
    const last = seen.at(-1)
    const query = { email, limit: 100, ...(last && { starting_after: last.id }) }
    const { data, has_more } = given(await api.GET('/v1/customers', { params: { query } }))
    for (const { id, name } of data) seen.push({ id, name })
    if (!has_more) return seen.map(({ name }) => name)
  }
}
