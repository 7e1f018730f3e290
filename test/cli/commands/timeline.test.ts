import { describe, expect, test } from 'vitest'
import { at, openTwin, setFinalAction, subscribe } from '../../scenarios/story.ts'
import { begin, END } from '../../scenarios/usage-story.ts'
import { makePrice } from '../../twin.ts'
import { shown } from '../shown.ts'

const DECLINED = 'decline:insufficient_funds'

describe('the picture of a subscription', () => {
  test('whose second retry recovers it', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', DECLINED, DECLINED] })
    await twin.advance({ to: '2026-03-10T12:00:00Z' })
    expect((await shown(twin, `subscriptions/${subscription.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
      2026-02-28T10:00Z   +28 d  ✗ renewal VC2Z6LEV-0002  20.00 USD
                                 │ attempt 1 of 5 declined: insufficient_funds
                                 ▼ active → past_due
      2026-03-01T10:00Z    +1 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 2 of 5 declined: insufficient_funds
      2026-03-03T10:00Z    +2 d  ✓ retry VC2Z6LEV-0002  20.00 USD  attempt 3 of 5 paid
                                 ▲ past_due → active
      2026-03-10T12:00Z  +7.1 d ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-03-31T10:00Z +20.9 d  ○ renewal  20.00 USD
      2026-04-30T10:00Z   +30 d  ◌ renewal  20.00 USD
      2026-05-31T10:00Z   +31 d  ◌ renewal  20.00 USD
      2026-06-30T10:00Z   +30 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('on a wide terminal needs fewer lines', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', DECLINED] })
    await twin.advance({ to: '2026-02-28T10:00:00Z' })
    const { timeline } = await shown(twin, `subscriptions/${subscription.id}`, { columns: 200 })
    expect(timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
      2026-02-28T10:00Z   +28 d  ✗ renewal VC2Z6LEV-0002  20.00 USD  attempt 1 of 5 declined: insufficient_funds
                                 ▼ active → past_due
      2026-02-28T10:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-03-01T10:00Z    +1 d  ○ retry VC2Z6LEV-0002  20.00 USD  attempt 2 of 5
      2026-03-03T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 3 of 5
      2026-03-05T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 4 of 5
      2026-03-07T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 5 of 5  canceled if it fails
      2026-03-31T10:00Z   +24 d  ○ renewal  20.00 USD
      2026-04-30T10:00Z   +30 d  ◌ renewal  20.00 USD
      2026-05-31T10:00Z   +31 d  ◌ renewal  20.00 USD
      2026-06-30T10:00Z   +30 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('that is canceled after its last retry', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: DECLINED })
    await twin.advance({ to: '2026-03-31T10:00:00Z' })
    expect((await shown(twin, `subscriptions/${subscription.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
      2026-02-28T10:00Z   +28 d  ✗ renewal VC2Z6LEV-0002  20.00 USD
                                 │ attempt 1 of 5 declined: insufficient_funds
                                 ▼ active → past_due
      2026-03-01T10:00Z    +1 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 2 of 5 declined: insufficient_funds
      2026-03-03T10:00Z    +2 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 3 of 5 declined: insufficient_funds
      2026-03-05T10:00Z    +2 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 4 of 5 declined: insufficient_funds
      2026-03-07T10:00Z    +2 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 5 of 5 declined: insufficient_funds
                                 ■ past_due → canceled  payment_failed
      2026-03-31T10:00Z   +24 d ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
    `)
  })

  test('before its last retry, at a past time', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: DECLINED })
    await setFinalAction(twin, 'mark_unpaid')
    await twin.advance({ to: '2026-03-06T00:00:00Z' })
    const now = await shown(twin, `subscriptions/${subscription.id}`)
    expect(now.timeline).toContain('attempt 5 of 5\n                           ┆ unpaid if it fails\n')
    const { timeline } = await shown(twin, `subscriptions/${subscription.id}`, { at: '2026-03-01T10:00:00Z' })
    expect(timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
      2026-02-28T10:00Z   +28 d  ✗ renewal VC2Z6LEV-0002  20.00 USD
                                 │ attempt 1 of 5 declined: insufficient_funds
                                 ▼ active → past_due
      2026-03-01T10:00Z    +1 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 2 of 5 declined: insufficient_funds
      2026-03-01T10:00Z         ━┿━ state at this time; now is 2026-03-06T00:00:00Z ━━
      2026-03-03T10:00Z    +2 d  ○ retry VC2Z6LEV-0002  20.00 USD  attempt 3 of 5
      2026-03-05T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 4 of 5
      2026-03-07T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 5 of 5
      2026-03-31T10:00Z   +24 d  ○ renewal  20.00 USD
      2026-04-30T10:00Z   +30 d  ◌ renewal  20.00 USD
      2026-05-31T10:00Z   +31 d  ◌ renewal  20.00 USD
      2026-06-30T10:00Z   +30 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('on trial, with a failed first payment', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { trial_period_days: 14, outcomes: [DECLINED] })
    const path = `subscriptions/${subscription.id}` as const
    expect((await shown(twin, path)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  trialing
      2026-01-31T10:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-02-14T10:00Z   +14 d  ○ trial ends  20.00 USD
      2026-03-14T10:00Z   +28 d  ◌ renewal  20.00 USD
      2026-04-14T10:00Z   +31 d  ◌ renewal  20.00 USD
      2026-05-14T10:00Z   +30 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
    await twin.advance({ to: '2026-02-16T00:00:00Z' })
    expect((await shown(twin, path)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  trialing
      2026-02-14T10:00Z   +14 d  ✗ trial ends VC2Z6LEV-0001  20.00 USD
                                 │ attempt 1 of 5 declined: insufficient_funds
                                 ▼ trialing → past_due
      2026-02-15T10:00Z    +1 d  ✓ retry VC2Z6LEV-0001  20.00 USD  attempt 2 of 5 paid
                                 ▲ past_due → active
      2026-02-16T00:00Z   +14 h ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-03-14T10:00Z +26.4 d  ○ renewal  20.00 USD
      2026-04-14T10:00Z   +31 d  ◌ renewal  20.00 USD
      2026-05-14T10:00Z   +30 d  ◌ renewal  20.00 USD
      2026-06-14T10:00Z   +31 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('that is never paid', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { card: 'pm_card_chargeDeclinedExpiredCard' })
    await twin.advance({ by: '4d' })
    expect((await shown(twin, `subscriptions/${subscription.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  incomplete
                                 ✗ first invoice VC2Z6LEV-0001  20.00 USD
                                 ║ attempt 1 of 5 declined: expired_card
      2026-02-01T10:00Z    +1 d  ✗ retry VC2Z6LEV-0001  20.00 USD
                                 ║ attempt 2 of 5 declined: expired_card
      2026-02-03T10:00Z    +2 d  ✗ retry VC2Z6LEV-0001  20.00 USD
                                 ║ attempt 3 of 5 declined: expired_card
      2026-02-04T10:00Z    +1 d ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-02-05T10:00Z    +1 d  ○ retry VC2Z6LEV-0001  20.00 USD  attempt 4 of 5
      2026-02-07T10:00Z    +2 d  ◌ retry VC2Z6LEV-0001  20.00 USD  attempt 5 of 5
                                 ┆ incomplete_expired if it fails
      2026-02-28T10:00Z   +21 d  ○ expires unless paid

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('whose collection pauses, and whose items, end and method change', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    const path = `/v1/subscriptions/${subscription.id}`
    await twin.post(path, { pause_collection: { behavior: 'void', resumes_at: at('2026-05-10T00:00:00Z') } })
    await twin.advance({ to: '2026-05-20T00:00:00Z' })
    await twin.post(path, { items: [{ id: subscription.items.data[0].id, quantity: 2 }], description: 'Two' })
    await twin.advance({ by: '90s' })
    await twin.delete(path, { cancel_at_period_end: true })
    await twin.advance({ by: '6h' })
    await twin.post(`${path}/resume`)
    await twin.post(path, { cancel_at: at('2026-07-15T00:00:00Z') })
    expect((await shown(twin, `subscriptions/${subscription.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00:00Z          ● subscribed  active
                                    ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
                                    ● collection paused (void)
                                    │ until 2026-05-10T00:00:00Z
      2026-02-28T10:00:00Z   +28 d  ● ┐
                                    │ ├ 3 renewals void  60.00 USD
                                    │ │ VC2Z6LEV-0002 … 0004
      2026-04-30T10:00:00Z   +61 d  ● ┘
      2026-05-10T00:00:00Z  +9.6 d  ● collection resumed
      2026-05-20T00:00:00Z   +10 d  ● 20.00 USD → 40.00 USD a period
                                    │ changed: description
      2026-05-20T00:01:30Z   +90 s  ● set to cancel at period end
                                    │ 2026-05-31T10:00:00Z
      2026-05-20T06:01:30Z    +6 h  ● no longer set to cancel at period end
                                    ● resumed
                                    ● set to cancel  2026-07-15T00:00:00Z
      2026-05-20T06:01:30Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-05-31T10:00:00Z +11.2 d  ○ renewal  40.00 USD
      2026-06-30T10:00:00Z   +30 d  ◌ renewal  40.00 USD
      2026-07-15T00:00:00Z +14.6 d  ○ scheduled cancellation

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('whose invoices are sent, and one of them paid late', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { collection_method: 'send_invoice', days_until_due: 10 })
    const [invoice] = (await twin.get('/v1/invoices')).data
    await twin.advance({ to: '2026-02-15T00:00:00Z' })
    await twin.post(`/v1/invoices/${invoice.id}/pay`, { payment_method: 'pm_card_visa' })
    await twin.advance({ to: '2026-03-01T00:00:00Z' })
    expect((await shown(twin, `subscriptions/${subscription.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  active
                                 ● first invoice VC2Z6LEV-0001  20.00 USD  open
      2026-02-10T10:00Z   +10 d  ▼ active → past_due  an invoice is overdue
      2026-02-15T00:00Z  +4.6 d  ✓ invoice VC2Z6LEV-0001  20.00 USD  paid manually
                                 ▲ past_due → active
      2026-02-28T10:00Z +13.4 d  ● renewal VC2Z6LEV-0002  20.00 USD  open
      2026-03-01T00:00Z   +14 h ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-03-10T10:00Z  +9.4 d  ○ VC2Z6LEV-0002 is due  20.00 USD
      2026-03-31T10:00Z   +21 d  ○ renewal  20.00 USD
      2026-04-30T10:00Z   +30 d  ◌ renewal  20.00 USD
      2026-05-31T10:00Z   +31 d  ◌ renewal  20.00 USD
      2026-06-30T10:00Z   +30 d  ◌ renewal  20.00 USD
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('that renews for a year is short, except with --all', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, {
      price: { currency: 'jpy', unit_amount: 1500 },
      currency: 'jpy',
    })
    await twin.advance({ to: '2027-01-15T00:00:00Z' })
    const path = `subscriptions/${subscription.id}` as const
    expect((await shown(twin, path)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  1500 JPY  paid
      2026-02-28T10:00Z   +28 d  ✓ ┐
                                 │ ├ 11 renewals paid  16500 JPY  VC2Z6LEV-0002 … 0012
      2026-12-31T10:00Z  +306 d  ✓ ┘
      2027-01-15T00:00Z +14.6 d ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2027-01-31T10:00Z +16.4 d  ○ renewal  1500 JPY
      2027-02-28T10:00Z   +28 d  ◌ renewal  1500 JPY
      2027-03-31T10:00Z   +31 d  ◌ renewal  1500 JPY
      2027-04-30T10:00Z   +30 d  ◌ renewal  1500 JPY
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
    const { timeline } = await shown(twin, path, { all: true })
    expect(timeline.match(/✓ renewal \S+ {2}1500 JPY {2}paid/g)).toHaveLength(11)
  })

  test('with a retry and a renewal in the same second shows them in that order', async () => {
    const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
    const { subscription } = await subscribe(twin, {
      price: { recurring: { interval: 'week' } },
      outcomes: ['succeed', DECLINED, DECLINED, DECLINED, DECLINED],
    })
    await twin.advance({ to: '2026-06-15T09:00:00Z' })
    const { timeline } = await shown(twin, `subscriptions/${subscription.id}`, { columns: 200 })
    expect(timeline.split('\n').slice(4, 12)).toMatchInlineSnapshot(`
      [
        "2026-06-09T09:00Z    +1 d  ✗ retry VC2Z6LEV-0002  20.00 USD  attempt 2 of 5 declined: insufficient_funds",
        "2026-06-11T09:00Z    +2 d  ✗ retry VC2Z6LEV-0002  20.00 USD  attempt 3 of 5 declined: insufficient_funds",
        "2026-06-13T09:00Z    +2 d  ✗ retry VC2Z6LEV-0002  20.00 USD  attempt 4 of 5 declined: insufficient_funds",
        "2026-06-15T09:00Z    +2 d  ✓ retry VC2Z6LEV-0002  20.00 USD  attempt 5 of 5 paid",
        "                           ▲ past_due → active",
        "                           ✓ renewal VC2Z6LEV-0003  20.00 USD  paid",
        "2026-06-15T09:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
        "2026-06-22T09:00Z    +7 d  ○ renewal  20.00 USD",
      ]
    `)
  })
})

describe('the picture of an invoice', () => {
  test('shows its attempts, including manual ones, and its status', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: DECLINED })
    await twin.advance({ to: '2026-03-02T00:00:00Z' })
    const [invoice] = (await twin.get(`/v1/invoices?subscription=${subscription.id}&limit=1`)).data
    await twin.request('POST', `/v1/invoices/${invoice.id}/pay`)
    const path = `invoices/${invoice.id}` as const
    expect((await shown(twin, path)).timeline).toMatchInlineSnapshot(`
      "2026-02-28T10:00Z          ✗ renewal VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 1 of 5 declined: insufficient_funds
      2026-03-01T10:00Z    +1 d  ✗ retry VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 2 of 5 declined: insufficient_funds
      2026-03-02T00:00Z   +14 h  ✗ invoice VC2Z6LEV-0002  20.00 USD
                                 ║ manual payment declined: insufficient_funds
      2026-03-02T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-03-03T10:00Z   +34 h  ○ retry VC2Z6LEV-0002  20.00 USD  attempt 3 of 5
      2026-03-05T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 4 of 5
      2026-03-07T10:00Z    +2 d  ◌ retry VC2Z6LEV-0002  20.00 USD  attempt 5 of 5
                                 ┆ canceled if it fails

      ○ due   ◌ projected if nothing changes"
    `)
    await twin.post(`/v1/invoices/${invoice.id}/void`)
    expect((await shown(twin, path)).timeline).toContain(`● invoice ${invoice.number}  20.00 USD  void\n`)
  })

  test('shows a failed refund', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { card: 'pm_card_refundFail' })
    const { charge } = await twin.get(`/v1/invoices/${subscription.latest_invoice}`)
    await twin.post('/v1/refunds', { charge, amount: 500 })
    await twin.advance({ by: '2h' })
    expect((await shown(twin, `invoices/${subscription.latest_invoice}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
                                 ● refund  5.00 USD  pending
      2026-01-31T10:01Z  +1 min  ✗ refund failed  5.00 USD
      2026-01-31T12:00Z    +2 h ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
    `)
  })
})

describe('the picture of an invoice that is corrected', () => {
  test('shows a credit, and the retry of the rest', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', DECLINED] })
    await twin.advance({ to: '2026-02-28T12:00:00Z' })
    const [invoice = {}] = (await twin.get(`/v1/invoices?subscription=${subscription.id}`)).data
    await twin.post('/v1/credit_notes', { invoice: invoice.id, amount: 500 })
    await twin.advance({ to: '2026-03-01T12:00:00Z' })
    await twin.post('/v1/credit_notes', { invoice: invoice.id, amount: 200, refund_amount: 200 })
    expect((await shown(twin, `invoices/${invoice.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-02-28T10:00Z          ✗ renewal VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 1 of 5 declined: insufficient_funds
      2026-02-28T12:00Z    +2 h  ● credit note VC2Z6LEV-0002-CN-01  5.00 USD
      2026-03-01T10:00Z   +22 h  ✓ retry VC2Z6LEV-0002  20.00 USD  5.00 USD credited
                                 │ attempt 2 of 5 paid
      2026-03-01T12:00Z    +2 h  ● credit note VC2Z6LEV-0002-CN-02  2.00 USD
                                 ● refund  2.00 USD
      2026-03-01T12:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
    `)
  })

  test('shows a credit in full', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', DECLINED] })
    await twin.advance({ to: '2026-02-28T12:00:00Z' })
    const [invoice = {}] = (await twin.get(`/v1/invoices?subscription=${subscription.id}`)).data
    await twin.post('/v1/credit_notes', { invoice: invoice.id, amount: 2000 })
    expect((await shown(twin, `invoices/${invoice.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-02-28T10:00Z          ✗ renewal VC2Z6LEV-0002  20.00 USD
                                 ║ attempt 1 of 5 declined: insufficient_funds
      2026-02-28T12:00Z    +2 h  ● credit note VC2Z6LEV-0002-CN-01  20.00 USD
                                 ✓ invoice VC2Z6LEV-0002  20.00 USD
                                 │ 20.00 USD credited  paid
      2026-02-28T12:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
    `)
  })

  test('shows a dispute with its due date, and how it ends', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { card: 'pm_card_createDispute' })
    const before = await shown(twin, `subscriptions/${subscription.id}`)
    expect(before.timeline).toMatch(/○ dispute due {2}20\.00 USD/)
    await twin.advance({ by: '8d' })
    expect((await shown(twin, `invoices/${subscription.latest_invoice}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
                                 ● dispute  20.00 USD  fraudulent  needs_response
      2026-02-07T10:00Z    +7 d  ✗ dispute  20.00 USD  lost
      2026-02-08T10:00Z    +1 d ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
    `)
  })
})

describe('the picture of a metered subscription', () => {
  test('shows the usage so far, and that later renewals bill usage too', async () => {
    const price = { unit_amount: undefined, billing_scheme: 'tiered', tiers_mode: 'graduated' }
    const tiers = [{ up_to: 'inf', unit_amount: 5, flat_amount: 300 }]
    const { twin, report, path, subscription } = await begin({ ...price, tiers })
    const timeline = async () => (await shown(twin, `subscriptions/${subscription.id}`)).timeline
    await report(10)
    expect(await timeline()).toMatchInlineSnapshot(`
      "2026-04-01T00:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  0.00 USD  paid
      2026-04-01T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-05-01T00:00Z   +30 d  ○ renewal  3.50 USD  with 3.50 USD usage so far
      2026-06-01T00:00Z   +31 d  ◌ renewal  3.00 USD  plus usage
      2026-07-01T00:00Z   +30 d  ◌ renewal  3.00 USD  plus usage
      2026-08-01T00:00Z   +31 d  ◌ renewal  3.00 USD  plus usage
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
    await twin.post(path, { cancel_at_period_end: true })
    expect(await timeline()).toMatchInlineSnapshot(`
      "2026-04-01T00:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  0.00 USD  paid
                                 ● set to cancel at period end  2026-05-01T00:00:00Z
      2026-04-01T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-05-01T00:00Z   +30 d  ○ scheduled cancellation  3.50 USD
                                 ┆ with 3.50 USD usage so far"
    `)
    await twin.advance({ to: END })
    expect(await timeline()).toMatchInlineSnapshot(`
      "2026-04-01T00:00Z          ● subscribed  active
                                 ✓ first invoice VC2Z6LEV-0001  0.00 USD  paid
                                 ● set to cancel at period end  2026-05-01T00:00:00Z
      2026-05-01T00:00Z   +30 d  ✓ final invoice VC2Z6LEV-0002  3.50 USD  paid
                                 ■ active → canceled  cancellation_requested
      2026-05-01T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━"
    `)
  })

  test('shows that no usage has been reported yet', async () => {
    const { twin, subscription } = await begin({}, { more: [{ unit_amount: 2000 }] })
    const { timeline } = await shown(twin, `subscriptions/${subscription.id}`)
    expect(timeline).toMatch(/○ renewal {2}20\.00 USD {2}plus usage/)
    expect(timeline).toMatch(/◌ renewal {2}20\.00 USD {2}plus usage/)
  })
})

describe('the picture of a customer', () => {
  test('numbers its subscriptions, and groups their renewals', async () => {
    const twin = await openTwin()
    const { customer, method, subscription } = await subscribe(twin)
    const { id } = await makePrice(twin, { unit_amount: 500, currency: 'eur' })
    await twin.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'eur',
      default_payment_method: method.id,
      items: [{ price: id }],
    })
    await twin.post('/v1/payment_intents', {
      amount: 700,
      currency: 'usd',
      customer: customer.id,
      payment_method: method.id,
      confirm: true,
    })
    await twin.advance({ by: '4mo' })
    await twin.delete(`/v1/subscriptions/${subscription.id}`)
    expect((await shown(twin, `customers/${customer.id}`)).timeline).toMatchInlineSnapshot(`
      "2026-01-31T10:00Z          ● customer created  Ada
                                 ● visa …4242 attached
                                 ● #1 subscribed  active
                                 ✓ #1 first invoice VC2Z6LEV-0001  20.00 USD  paid
                                 ● #2 subscribed  active
                                 ✓ #2 first invoice VC2Z6LEV-0002  5.00 EUR  paid
                                 ✓ payment  7.00 USD  paid
      2026-02-28T10:00Z   +28 d  ✓ ┐
                                 │ ├ 6 renewals paid  60.00 USD + 15.00 EUR
      2026-04-30T10:00Z   +61 d  ✓ ┘
      2026-05-31T10:00Z   +31 d  ✓ #1 renewal VC2Z6LEV-0009  20.00 USD  paid
                                 ✓ #2 renewal VC2Z6LEV-0010  5.00 EUR  paid
                                 ■ #1 active → canceled  cancellation_requested
      2026-05-31T10:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
      2026-06-30T10:00Z   +30 d  ○ #2 renewal  5.00 EUR
      2026-07-31T10:00Z   +31 d  ◌ #2 renewal  5.00 EUR
      2026-08-31T10:00Z   +31 d  ◌ #2 renewal  5.00 EUR
      2026-09-30T10:00Z   +30 d  ◌ #2 renewal  5.00 EUR
                                 ⋮

      ○ due   ◌ projected if nothing changes"
    `)
  })

  test('with too long a past says that earlier events are not shown', async () => {
    const twin = await openTwin()
    const { customer } = await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    await twin.advance({ by: '1y' })
    const { timeline } = await shown(twin, `customers/${customer.id}`)
    expect(timeline.split('\n').slice(0, 6)).toMatchInlineSnapshot(`
      [
        "                           ⋮ earlier events not shown",
        "2026-08-19T10:00Z          ✓ ┐",
        "                           │ ├ 166 renewals paid  3320.00 USD",
        "                           │ │ VC2Z6LEV-0201 … 0366",
        "2027-01-31T10:00Z  +165 d  ✓ ┘",
        "2027-01-31T10:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━",
      ]
    `)
  })
})

test('times are shown with seconds if any has them', async () => {
  const twin = await openTwin({ now: '2026-01-31T10:00:07Z' })
  const { customer } = await subscribe(twin)
  const { timeline } = await shown(twin, `customers/${customer.id}`)
  expect(timeline.split('\n')[0]).toBe('2026-01-31T10:00:07Z          ● customer created  Ada')
})

test('control characters from the API are escaped', async () => {
  const twin = await openTwin()
  const evil = `\u001b[2J${'x'.repeat(200)}`
  const customer = await twin.post('/v1/customers', { name: evil, email: evil })
  const { whole, timeline } = await shown(twin, `customers/${customer.id}`)
  expect(whole).not.toContain('\u001b')
  expect(timeline.split('\n').every((line) => line.length <= 80)).toBe(true)
  expect(timeline).toContain('\\u001b[2Jxxx')
})

test('in a pipe each note is a line, with each renewal and each job on its own', async () => {
  const twin = await openTwin()
  const { subscription } = await subscribe(twin, {
    outcomes: ['succeed', 'succeed', 'succeed', 'succeed', DECLINED],
  })
  await twin.advance({ to: '2026-05-31T10:00:00Z' })
  const { timeline } = await shown(twin, `subscriptions/${subscription.id}`, { isPiped: true })
  expect(timeline.split('\n')).toMatchInlineSnapshot(`
    [
      "2026-01-31T10:00:00Z	happened	subscribed  active",
      "2026-01-31T10:00:00Z	happened	first invoice VC2Z6LEV-0001  20.00 USD  paid",
      "2026-02-28T10:00:00Z	happened	renewal VC2Z6LEV-0002  20.00 USD  paid",
      "2026-03-31T10:00:00Z	happened	renewal VC2Z6LEV-0003  20.00 USD  paid",
      "2026-04-30T10:00:00Z	happened	renewal VC2Z6LEV-0004  20.00 USD  paid",
      "2026-05-31T10:00:00Z	happened	renewal VC2Z6LEV-0005  20.00 USD  attempt 1 of 5 declined: insufficient_funds",
      "2026-05-31T10:00:00Z	happened	active → past_due",
      "2026-05-31T10:00:00Z	now	",
      "2026-06-01T10:00:00Z	due	retry VC2Z6LEV-0005  20.00 USD  attempt 2 of 5",
      "2026-06-03T10:00:00Z	projected	retry VC2Z6LEV-0005  20.00 USD  attempt 3 of 5",
      "2026-06-05T10:00:00Z	projected	retry VC2Z6LEV-0005  20.00 USD  attempt 4 of 5",
      "2026-06-07T10:00:00Z	projected	retry VC2Z6LEV-0005  20.00 USD  attempt 5 of 5  canceled if it fails",
      "2026-06-30T10:00:00Z	due	renewal  20.00 USD",
      "2026-07-31T10:00:00Z	projected	renewal  20.00 USD",
      "2026-08-31T10:00:00Z	projected	renewal  20.00 USD",
      "2026-09-30T10:00:00Z	projected	renewal  20.00 USD",
    ]
  `)
})
