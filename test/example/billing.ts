/** An application's own billing code, as small as it can be: what the example tests. */

type Json = Readonly<Record<string, unknown>>
export type Subscription = {
  readonly id: string
  readonly status: string
  readonly latest_invoice: string | null
}

/** How the application reaches the service: in production by its configuration, under `paytwin run` by the environment. */
const url = process.env.PAYTWIN_URL ?? ''
const key = process.env.PAYTWIN_SECRET_KEY ?? ''

export async function call<ResponseBody>(
  method: 'GET' | 'POST',
  path: string,
  body?: Json,
): Promise<ResponseBody> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status} ${await response.text()}`)
  return response.json() as Promise<ResponseBody>
}

/** Signs somebody up for the monthly plan with their card. */
export async function signUp(
  email: string,
  plan: string,
  card: string,
): Promise<{ card: string; subscription: string }> {
  const customer = await call<{ id: string }>('POST', '/v1/customers', { email })
  const attached = await call<{ id: string }>('POST', `/v1/payment_methods/${card}/attach`, {
    customer: customer.id,
  })
  const { id } = await call<Subscription>('POST', '/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: attached.id,
    items: [{ price: plan }],
  })
  return { card: attached.id, subscription: id }
}

/** Who may use the application: customers who have paid, and those whose payment is being tried again. */
export async function hasAccess(subscription: string): Promise<boolean> {
  const { status } = await call<Subscription>('GET', `/v1/subscriptions/${subscription}`)
  return status === 'active' || status === 'trialing' || status === 'past_due'
}
