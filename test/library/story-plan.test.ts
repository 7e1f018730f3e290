import { expect, onTestFinished, test } from 'vitest'
import type { Paytwin } from '../../src/library/api.ts'
import { createPaytwin } from '../../src/library/create.ts'

/** Opens a sandbox with a subscription to Basic of 1 April, 20.00 USD a month, and a price Pro of 50.00 USD. */
async function open(): Promise<{ twin: Paytwin; id: string; item: string; pro: string; basic: string }> {
  const recurring = { interval: 'month' } as const
  const twin = await createPaytwin({
    now: '2026-04-01T00:00:00Z',
    fixtures: {
      prices: [
        { ref: 'basic', unit_amount: 2000, currency: 'usd', nickname: 'Basic', recurring },
        { ref: 'pro', unit_amount: 5000, currency: 'usd', nickname: 'Pro', recurring },
      ],
      customers: [{ ref: 'ada' }],
      payment_methods: [{ ref: 'visa', customer: 'ada', test_id: 'pm_card_visa' }],
      subscriptions: [
        {
          ...{ ref: 'sub', customer: 'ada', currency: 'usd', default_payment_method: 'visa' },
          items: [{ price: 'basic' }],
        },
      ],
    },
  })
  onTestFinished(() => twin.close())
  type Item = { id: string; price: { id: string } }
  const { data } = await twin.get<{ data: { id: string; items: { data: Item[] } }[] }>('/v1/subscriptions')
  const [subscription] = data
  const [item] = subscription?.items.data ?? []
  const prices = await twin.get<{ data: { id: string; nickname: string }[] }>('/v1/prices')
  const pro = prices.data.find(({ nickname }) => nickname === 'Pro')?.id ?? ''
  return { twin, id: subscription?.id ?? '', item: item?.id ?? '', pro, basic: item?.price.id ?? '' }
}

const story = async (twin: Paytwin, id: string): Promise<string> => {
  const { text } = await twin.story(id)
  return text.replaceAll(/[A-Z0-9]{8}-(\d{4})/g, '#$1')
}

test('a story draws changes of a plan, balances, and the final invoice', async () => {
  const { twin, id, item, pro, basic } = await open()
  const path = `/v1/subscriptions/${id}`
  await twin.clock.advance('15d')
  await twin.post(path, { items: [{ id: item, price: pro }], proration_behavior: 'create_prorations' })
  // The same again in one second: each change has its own lines.
  await twin.post(path, { items: [{ id: item, price: basic }], proration_behavior: 'create_prorations' })
  await twin.post(path, { items: [{ id: item, price: pro }], proration_behavior: 'create_prorations' })
  expect(await story(twin, id)).toMatchInlineSnapshot(`
    "subscription sub_000001iCHPU6Vi  active
    2026-04-01T00:00Z          ● subscribed  active
                               ✓ first invoice #0001  20.00 USD  paid
    2026-04-16T00:00Z   +15 d  ● 20.00 USD → 50.00 USD a period
                               ● -10.00 USD  Unused time on Basic after 2026-04-16
                               ● 25.00 USD  Remaining time on Pro after 2026-04-16
                               ● 50.00 USD → 20.00 USD a period
                               ● -25.00 USD  Unused time on Pro after 2026-04-16
                               ● 10.00 USD  Remaining time on Basic after 2026-04-16
                               ● 20.00 USD → 50.00 USD a period
                               ● -10.00 USD  Unused time on Basic after 2026-04-16
                               ● 25.00 USD  Remaining time on Pro after 2026-04-16
    2026-04-16T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    2026-05-01T00:00Z   +15 d  ○ renewal  65.00 USD
    2026-06-01T00:00Z   +31 d  ◌ renewal  50.00 USD
    2026-07-01T00:00Z   +30 d  ◌ renewal  50.00 USD
    2026-08-01T00:00Z   +31 d  ◌ renewal  50.00 USD
                               ⋮

    ○ due   ◌ projected if nothing changes"
  `)
  await twin.clock.advance('20d')
  await twin.post(path, { items: [{ id: item, price: basic }], proration_behavior: 'always_invoice' })
  await twin.clock.advance('1mo')
  await twin.delete(path, { prorate: true, invoice_now: true })
  expect(await story(twin, id)).toMatchInlineSnapshot(`
    "subscription sub_000001iCHPU6Vi  canceled
    2026-04-01T00:00Z          ● subscribed  active
                               ✓ first invoice #0001  20.00 USD  paid
    2026-04-16T00:00Z   +15 d  ● 20.00 USD → 50.00 USD a period
                               ● -10.00 USD  Unused time on Basic after 2026-04-16
                               ● 25.00 USD  Remaining time on Pro after 2026-04-16
                               ● 50.00 USD → 20.00 USD a period
                               ● -25.00 USD  Unused time on Pro after 2026-04-16
                               ● 10.00 USD  Remaining time on Basic after 2026-04-16
                               ● 20.00 USD → 50.00 USD a period
                               ● -10.00 USD  Unused time on Basic after 2026-04-16
                               ● 25.00 USD  Remaining time on Pro after 2026-04-16
    2026-05-01T00:00Z   +15 d  ✓ renewal #0002  65.00 USD  paid
    2026-05-06T00:00Z    +5 d  ✓ invoice #0003  -25.17 USD  25.17 USD to balance  paid
                               ● 50.00 USD → 20.00 USD a period
                               ● -41.94 USD  Unused time on Pro after 2026-05-06
                               ● 16.77 USD  Remaining time on Basic after 2026-05-06
    2026-06-01T00:00Z   +26 d  ✓ renewal #0004  20.00 USD  20.00 USD from balance  paid
    2026-06-06T00:00Z    +5 d  ✓ final invoice #0005  -16.67 USD  16.67 USD to balance  paid
                               ● -16.67 USD  Unused time on Basic after 2026-06-06
                               ■ active → canceled  cancellation_requested
    2026-06-06T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
  `)
})

test('a planned cancellation shows the amount of the final invoice', async () => {
  const { twin, id, item, pro } = await open()
  const change = { items: [{ id: item, price: pro }], proration_behavior: 'create_prorations' }
  await twin.post(`/v1/subscriptions/${id}`, { ...change, cancel_at_period_end: true })
  const { data } = await twin.story(id)
  expect(data.timeline.upcoming.data).toMatchObject([{ kind: 'cancellation', amount: 3000, currency: 'usd' }])
})
