import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin, type TwinResponse } from '../twin.ts'

const SECRET = /_secret_([A-Za-z0-9]{16,})/g

/**
 * Requests whose responses hold a client_secret, each once: at the top, within an error, and deep within another object.
 */
async function requestsOf(twin: Twin): Promise<readonly [path: string, body: Body, status: number][]> {
  const { customer, method } = await makeCustomer(twin)
  const price = await makePrice(twin)
  const intent = await twin.post('/v1/payment_intents', { amount: 100, currency: 'usd' })
  const subscription = {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
    expand: ['latest_invoice.payment_intent'],
  }
  return [
    ['/v1/payment_intents', { amount: 100, currency: 'usd', description: 'Tea' }, 201],
    [`/v1/payment_intents/${intent.id}/confirm`, { payment_method: 'pm_card_chargeDeclined' }, 402],
    ['/v1/subscriptions', subscription, 201],
  ]
}

test('responses are replayed byte for byte after a restart, and their client secrets are stored nowhere', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paytwin-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const options = { database: join(folder, 'paytwin.db'), secretKey: `sk_test_${'a'.repeat(24)}` }
  const before = await startTwin(options)
  const requests = await requestsOf(before)
  const send = (twin: Twin): Promise<TwinResponse[]> =>
    Promise.all(
      requests.map(([path, body], place) =>
        twin.request('POST', path, body, { 'Idempotency-Key': `key-${place}` }),
      ),
    )
  const first = await send(before)
  expect(first.map(({ status }) => status)).toEqual(requests.map(([, , status]) => status))

  const secrets = first.flatMap(({ body }) =>
    [...JSON.stringify(body).matchAll(SECRET)].map(([, one]) => one),
  )
  expect(secrets).toHaveLength(requests.length)
  for (const name of await readdir(folder)) {
    const stored = await readFile(join(folder, name), 'latin1')
    for (const secret of secrets) expect(stored).not.toContain(secret)
  }

  await before.close()
  const after = await startTwin(options)
  onTestFinished(() => after.close())
  const again = await send(after)
  for (const [place, { status, body, headers }] of again.entries()) {
    expect(headers.get('Idempotent-Replayed')).toBe('true')
    expect([status, JSON.stringify(body)]).toEqual([first[place]?.status, JSON.stringify(first[place]?.body)])
  }
})
