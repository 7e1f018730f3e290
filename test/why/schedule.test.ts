import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { phase } from '../scenarios/schedule-story.ts'
import { onTestClock, subscribe } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { why } from './support.ts'

let shared: Twin
beforeAll(async () => {
  shared = await startTwin()
})
afterAll(() => shared.close())

/** Makes the schedule of a subscription with one phase of one period, on a test clock of its own. */
async function managed(end_behavior: string) {
  const twin = await onTestClock(shared)
  const { subscription } = await subscribe(twin)
  const { id } = await twin.post('/v1/subscription_schedules', { from_subscription: subscription.id })
  const path = `/v1/subscription_schedules/${id}`
  await twin.post(path, { end_behavior })
  const act = (verb: string, params: Body = {}) => twin.post(`${path}/${verb}`, params)
  return { twin, act, subscription: subscription.id as string, why: () => why(twin, id) }
}

describe('a schedule', () => {
  test('that has not started', async () => {
    const twin = await onTestClock(shared)
    const { customer } = await makeCustomer(twin)
    const price = await makePrice(twin)
    const { id } = await twin.post('/v1/subscription_schedules', {
      customer: customer.id,
      start_date: 1_770_000_000,
      phases: [phase(price.id, { iterations: 2 })],
    })
    expect(await why(twin, id)).toMatchInlineSnapshot(`
      "The status of the schedule has been not_started since 2026-01-31T10:00:00Z: its first phase begins at 2026-02-02T02:40:00Z. [schedules.md#status-of-a-schedule]
      Its last phase ends at 2026-04-02T02:40:00Z; its end_behavior is release. [schedules.md#when-a-schedule-ends]
      At 2026-02-02T02:40:00Z, phase 1 of the schedule begins: 20.00 USD for one period. [schedules.md#entering-a-phase]"
    `)
    await twin.post(`/v1/subscription_schedules/${id}/cancel`)
    expect(await why(twin, id)).toMatchInlineSnapshot(`
      "The status of the schedule has been canceled since 2026-01-31T10:00:00Z: a request canceled it. [schedules.md#canceling-a-schedule]
      Nothing further happens: this status is final. [schedules.md#status-of-a-schedule]"
    `)
  })

  test('that will release its subscription, and did', async () => {
    const { twin, why: lines } = await managed('release')
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been active since 2026-01-31T10:00:00Z: it is in phase 1 of 1. [schedules.md#phases]
      Its last phase ends at 2026-02-28T10:00:00Z; its end_behavior is release. [schedules.md#when-a-schedule-ends]
      At 2026-02-21T10:00:00Z, subscription_schedule.expiring announces the end of the schedule. [schedules.md#when-a-schedule-ends]
      At 2026-02-28T10:00:00Z, the schedule ends and releases its subscription, which goes on. [schedules.md#when-a-schedule-ends]"
    `)
    await twin.advance({ by: '1mo' })
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been released since 2026-02-28T10:00:00Z: its last phase ended, and its end_behavior released the subscription, which goes on. [schedules.md#when-a-schedule-ends]
      Nothing further happens: this status is final. [schedules.md#status-of-a-schedule]"
    `)
  })

  test('that will cancel its subscription, and did', async () => {
    const { twin, subscription, why: lines } = await managed('cancel')
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been active since 2026-01-31T10:00:00Z: it is in phase 1 of 1. [schedules.md#phases]
      Its last phase ends at 2026-02-28T10:00:00Z; its end_behavior is cancel. [schedules.md#when-a-schedule-ends]
      At 2026-02-21T10:00:00Z, subscription_schedule.expiring announces the end of the schedule. [schedules.md#when-a-schedule-ends]
      At 2026-02-28T10:00:00Z, the subscription is canceled as planned. [subscriptions.md#canceling]"
    `)
    await twin.advance({ by: '1mo' })
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been completed since 2026-02-28T10:00:00Z: its last phase ended, and its end_behavior canceled the subscription. [schedules.md#when-a-schedule-ends]
      Nothing further happens: this status is final. [schedules.md#status-of-a-schedule]"
    `)
    expect(await why(twin, subscription)).toMatchInlineSnapshot(`
      "The subscription has been canceled since 2026-02-28T10:00:00Z: the last phase of its schedule ended, and its end_behavior is cancel. [schedules.md#when-a-schedule-ends]
      Nothing further happens: this status is final. [subscriptions.md#status]"
    `)
  })

  test('that a request released', async () => {
    const { act, why: lines } = await managed('cancel')
    await act('release')
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been released since 2026-01-31T10:00:00Z: a request released its subscription, which goes on without it. [schedules.md#releasing]
      Nothing further happens: this status is final. [schedules.md#status-of-a-schedule]"
    `)
  })

  test('that a request canceled', async () => {
    const { act, why: lines } = await managed('cancel')
    await act('cancel')
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been canceled since 2026-01-31T10:00:00Z: a request canceled it. [schedules.md#canceling-a-schedule]
      Nothing further happens: this status is final. [schedules.md#status-of-a-schedule]"
    `)
  })

  test('whose subscription ended', async () => {
    const { twin, subscription, why: lines } = await managed('release')
    await twin.delete(`/v1/subscriptions/${subscription}`)
    expect(await lines()).toMatchInlineSnapshot(`
      "The status of the schedule has been canceled since 2026-01-31T10:00:00Z: its subscription ended in another way, or its customer was deleted. [schedules.md#when-the-subscription-ends]
      Nothing further happens: this status is final. [schedules.md#status-of-a-schedule]"
    `)
  })
})
