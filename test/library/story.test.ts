import { describe, expect, onTestFinished, test } from 'vitest'
import type { Paytwin } from '../../src/library/api.ts'
import { createPaytwin } from '../../src/library/create.ts'
import { RequestRefused } from '../../src/library/refused.ts'

/** Opens a sandbox with subscriptions, whose second payments are declined. */
async function openPastDue(count = 1): Promise<{ twin: Paytwin; ids: string[] }> {
  const numbers = Array.from({ length: count }, (_, n) => `s${n}`)
  const twin = await createPaytwin({
    fixtures: {
      prices: [{ ref: 'pro', unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }],
      customers: numbers.map((ref) => ({ ref, email: `${ref}@example.com` })),
      payment_methods: numbers.map((ref) => ({ ref, customer: ref, test_id: 'pm_card_visa' })),
      subscriptions: numbers.map((customer) => ({
        ...{ customer, currency: 'usd', default_payment_method: customer },
        items: [{ price: 'pro' }],
      })),
    },
  })
  onTestFinished(() => twin.close())
  await twin.faults.add('decline')
  await twin.clock.advance('1mo')
  const { data } = await twin.get<{ data: { id: string }[] }>('/v1/subscriptions')
  return { twin, ids: data.map(({ id }) => id).toReversed() }
}

describe('a story', () => {
  test('draws the timeline of a subscription, and has its data', async () => {
    const { twin, ids } = await openPastDue()
    const [id = ''] = ids
    const { text, data } = await twin.story(id)
    expect(text.replaceAll(/in_\w+|[A-Z0-9]{8}-\d{4}/g, '#')).toMatchInlineSnapshot(`
      "subscription sub_000001iCHPU6Vi  past_due
      2026-01-01T00:00Z          ● subscribed  active
                                 ✓ first invoice #  20.00 USD  paid
      2026-02-01T00:00Z   +31 d  ✗ renewal #  20.00 USD
                                 │ attempt 1 of 5 declined: generic_decline
                                 ▼ active → past_due
      2026-02-01T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-02-02T00:00Z    +1 d  ○ retry #  20.00 USD  attempt 2 of 5
      2026-02-04T00:00Z    +2 d  ◌ retry #  20.00 USD  attempt 3 of 5
      2026-02-06T00:00Z    +2 d  ◌ retry #  20.00 USD  attempt 4 of 5
      2026-02-08T00:00Z    +2 d  ◌ retry #  20.00 USD  attempt 5 of 5  canceled if it fails
      2026-03-01T00:00Z   +21 d  ○ renewal  20.00 USD
      2026-04-01T00:00Z   +31 d  ◌ renewal  20.00 USD
      2026-05-01T00:00Z   +30 d  ◌ renewal  20.00 USD
      2026-06-01T00:00Z   +31 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
    expect(data).toMatchObject({ id, object: 'subscription', status: 'past_due' })
    expect(data.timeline.upcoming.data[0]?.kind).toBe('payment_retry')
  })

  test('is also that of a customer or an invoice', async () => {
    const { twin } = await openPastDue()
    for (const [path, object] of [
      ['/v1/customers', 'customer'],
      ['/v1/invoices', 'invoice'],
    ] as const) {
      const { data } = await twin.get<{ data: { id: string }[] }>(path)
      const id = data[0]?.id ?? ''
      const { text } = await twin.story(id)
      expect(text).toMatch(new RegExp(`^${object} ${id}`))
      expect(text).toContain('declined: generic_decline')
    }
  })

  test('of another object, or of one that does not exist, is refused', async () => {
    const { twin } = await openPastDue()
    await expect(twin.story('pm_card_visa')).rejects.toThrow(TypeError)
    await expect(twin.story('sub_00000000000000')).rejects.toThrow(RequestRefused)
  })
})

describe('the stories', () => {
  test('are those of the subscriptions that changed last, up to a limit', async () => {
    const { twin, ids } = await openPastDue(5)
    const [first = ''] = ids
    await twin.post(`/v1/subscriptions/${first}`, { description: 'changed last' })
    const stories = await twin.stories()
    expect(stories).toHaveLength(3)
    expect(stories[0]?.id).toBe(first)
    expect(await twin.stories(10)).toHaveLength(5)
  })

  test('of a closed sandbox are none', async () => {
    const { twin } = await openPastDue()
    await twin.close()
    expect(await twin.stories()).toEqual([])
  })
})
