import { verifyWebhook } from 'paytwin'
import { test } from 'paytwin/vitest'
import { afterEach, expect, vi } from 'vitest'

afterEach(() => {
  vi.useRealTimers()
})

test('a test that fakes all timers does not stop the sandbox', async ({ twin }) => {
  vi.useFakeTimers({ now: Date.parse('2040-01-01T00:00:00Z') })
  const { secret } = await twin.webhooks.create()
  await twin.trigger('invoice.payment_failed')
  await twin.clock.advance('1y', { awaitWebhooks: true })
  const { inbox } = twin.webhooks
  expect(inbox.map(({ event }) => event.type)).toContain('invoice.payment_failed')
  // The wall clock is the one that the test has put up.
  const [first] = inbox
  expect(first && verifyWebhook(secret, first)).toEqual(first?.event)
  expect(first?.headers['webhook-timestamp']).toBe(String(Date.parse('2040-01-01T00:00:00Z') / 1_000))
  await expect(twin.events.waitFor('refund.failed', { timeout: 20 })).rejects.toThrow('within 20 ms')
})
