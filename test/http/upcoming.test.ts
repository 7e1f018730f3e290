import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { subscribe as subscribeCard } from '../scenarios/story.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { expectRefused, idsOf, invalid, unknown } from './support.ts'

const NOW = 1769853600 // 2026-01-31T10:00:00Z
const DAY = 86_400

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

const subscribe = async (outcomes?: string[], more: Body = {}): Promise<Body> =>
  (await subscribeCard(twin, { outcomes, ...more })).subscription

describe('upcoming', () => {
  test('lists the next jobs in order, with their objects', async () => {
    const trial = await subscribe([], { trial_period_days: 7 })
    const paid = await subscribe()
    const incomplete = await subscribe(['decline:lost_card'])
    const sent = await subscribe([], { collection_method: 'send_invoice', days_until_due: 3 })
    const invoiceOf = async ({ id }: Body) => (await twin.get(`/v1/invoices?subscription=${id}`)).data[0].id
    const page = await twin.get('/v1/test_helpers/upcoming')
    expect(page).toMatchObject({ object: 'list', url: '/v1/test_helpers/upcoming', has_more: false })
    expect(
      page.data.map(({ due, kind, subscription, invoice }: Body) => [due, kind, subscription, invoice]),
    ).toEqual([
      [NOW + DAY, 'payment_retry', incomplete.id, await invoiceOf(incomplete)],
      [NOW + 3 * DAY, 'invoice_due', sent.id, await invoiceOf(sent)],
      [NOW + 7 * DAY, 'trial_end', trial.id, null],
      [1772272800, 'renewal', paid.id, null],
      [1772272800, 'incomplete_expiry', incomplete.id, null],
      [1772272800, 'renewal', sent.id, null],
    ])
    for (const entry of page.data) {
      expect(entry).toMatchObject({ livemode: false, merchant_id: twin.sandbox.merchant.settings.id })
    }
  })

  test('is paginated like other lists', async () => {
    for (let n = 0; n < 5; n += 1) await subscribe([], { trial_period_days: n + 1 })
    const whole = await twin.get('/v1/test_helpers/upcoming?limit=100')
    expect(await twin.get('/v1/test_helpers/upcoming?limit=2')).toMatchObject({
      data: whole.data.slice(0, 2),
      has_more: true,
    })
    await expectRefused(twin, ['GET', '/v1/test_helpers/upcoming?limit=0'], invalid('limit'))
    const pages: Body[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${pages.at(-1)?.id}`) {
      const { data, has_more } = await twin.get(`/v1/test_helpers/upcoming?limit=2${cursor}`)
      pages.push(...data)
      if (!has_more || pages.length > 10) break
    }
    expect(pages).toEqual(whole.data)
    const back = await twin.get(`/v1/test_helpers/upcoming?limit=2&ending_before=${pages[4]?.id}`)
    expect(back).toMatchObject({ data: whole.data.slice(2, 4), has_more: true })
  })

  test('refuses an unknown cursor, and two cursors', async () => {
    await subscribe()
    const [id = ''] = idsOf((await twin.get('/v1/test_helpers/upcoming')).data)
    const path = '/v1/test_helpers/upcoming'
    for (const wrong of ['nothing', '', '__proto__', 'renewal', 'renewal--', `${id}0`, id.slice(1), '%00']) {
      await expectRefused(twin, ['GET', `${path}?starting_after=${wrong}`], unknown('starting_after'))
      await expectRefused(twin, ['GET', `${path}?ending_before=${wrong}`], unknown('ending_before'))
    }
    const both = `starting_after=${id}&ending_before=${id}`
    await expectRefused(twin, ['GET', `${path}?${both}`], invalid('ending_before'))
  })
})
