import { expect, test } from 'vitest'
import { leastProcessorTime } from '../../processor-time.ts'
import { openTwin } from '../../scenarios/story.ts'

/** A host of different letters: converting it takes a second. */
const HOST = String.fromCodePoint(...Array.from({ length: 30_000 }, (_, index) => 0x4e00 + (index % 20_000)))
const URL = `https://${HOST}/`

test.each<[string, object]>([
  ['products', { name: 'Shoe', url: URL }],
  ['products', { name: 'Shoe', images: Array(8).fill(URL) }],
  ['webhook_endpoints', { url: URL, enabled_events: ['*'] }],
  ['payment_intents', { amount: 100, currency: 'usd', confirm: true, return_url: URL }],
  ['setup_intents', { confirm: true, return_url: URL }],
  ['checkout/sessions', { mode: 'setup', currency: 'usd', success_url: URL, cancel_url: URL }],
  ['billing_portal/sessions', { customer: 'cus_1', return_url: URL }],
  [
    'billing_portal/configurations',
    { default_return_url: URL, business_profile: { privacy_policy_url: URL } },
  ],
])('a long host is refused quickly by %s', async (path, params) => {
  const twin = await openTwin({ dialect: 'stripe' })
  const send = async () => {
    const { status } = await twin.request('POST', `/v1/${path}`, params)
    expect(status).toBe(400)
  }
  await send()
  expect(await leastProcessorTime(send, 100)).toBeLessThan(100)
})
