import { describe, expect, test } from 'vitest'
import { deliveryJobs } from '../../src/core/jobs.ts'
import { allows, move } from '../../src/core/transitions.ts'
import {
  attempted,
  DELIVERY_TRANSITIONS,
  type DeliveryAttempt,
  type DeliveryStatus,
  DISCARDED,
  due,
  isAccepted,
  newDelivery,
  RETRY_GAPS,
  type WebhookDelivery,
} from '../../src/core/webhook.ts'
import { matrix, table } from '../table.ts'

const PRESENT = { isGone: false }

const NEW = newDelivery({ id: 'whd_1', created: 1000, event: 'evt_1', endpoint: 'we_1' })

const answered = (response_status: number | null, time = 1000): DeliveryAttempt => ({
  time,
  response_status,
  response_body: response_status === null ? null : '',
  error: response_status === null ? 'connection refused' : null,
  duration_ms: 1,
})

/** A delivery that has failed so many times, each time at the instant at which it was due. */
function failedTimes(count: number): WebhookDelivery {
  let delivery = NEW
  for (let attempt = 0; attempt < count; attempt += 1) {
    delivery = attempted(due(delivery), answered(500, delivery.next_attempt ?? 1000), PRESENT)
  }
  return delivery
}

describe('a delivery', () => {
  test.each(
    matrix(`
      from       accept     give_up  discard
      pending    succeeded  failed   discarded
      succeeded  -          -        -
      failed     -          -        -
      discarded  -          -        -
    `),
  )('that is $from: $event leads to $to', ({ from, event, to }) => {
    const [status, how] = [from as DeliveryStatus, event as 'accept']
    expect(allows(DELIVERY_TRANSITIONS, status, how)).toBe(to !== '-')
    if (to === '-') expect(() => move(DELIVERY_TRANSITIONS, status, how)).toThrow()
    else expect(move(DELIVERY_TRANSITIONS, status, how)).toBe(to)
  })

  test('that is no longer wanted is discarded', () => {
    expect(DISCARDED).toBe('discarded')
  })

  test('is ready at once, without a planned retry', () => {
    expect(NEW).toMatchObject({ status: 'pending', attempts: [], is_ready: true, next_attempt: null })
    expect(deliveryJobs(NEW)).toEqual([])
  })

  test.each(
    table(
      ['response', 'status', 'next'],
      `
      200   succeeded  -
      201   succeeded  -
      204   succeeded  -
      299   succeeded  -
      100   pending    1005
      199   pending    1005
      300   pending    1005
      301   pending    1005
      302   pending    1005
      304   pending    1005
      307   pending    1005
      400   pending    1005
      401   pending    1005
      404   pending    1005
      409   pending    1005
      410   pending    1005
      gone  discarded  -
      429   pending    1005
      500   pending    1005
      503   pending    1005
      none  pending    1005
      `,
    ),
  )('that is answered $response at 1000 is $status, and retried at $next', ({ response, status, next }) => {
    const isGone = response === 'gone'
    const attempt = answered(response === 'none' ? null : isGone ? 410 : Number(response))
    const delivery = attempted(NEW, attempt, { isGone })
    expect(isAccepted(attempt)).toBe(status === 'succeeded')
    expect(delivery).toEqual({
      ...NEW,
      status,
      attempts: [attempt],
      attempt_count: 1,
      is_ready: false,
      next_attempt: next === '-' ? null : Number(next),
    })
  })

  test.each(
    table(
      ['failures', 'gap'],
      `
      1  5
      2  300
      3  1800
      4  7200
      5  18000
      6  36000
      7  50400
      8  72000
      9  86400
      `,
    ),
  )('that has failed $failures times is retried $gap seconds after the last', ({ failures, gap }) => {
    const delivery = failedTimes(Number(failures))
    expect(delivery.status).toBe('pending')
    expect((delivery.next_attempt ?? 0) - (delivery.attempts.at(-1)?.time ?? 0)).toBe(Number(gap))
    expect(deliveryJobs(delivery)).toEqual([
      { due: delivery.next_attempt, kind: 'webhook_retry', subscription: null, object: 'whd_1' },
    ])
  })

  test('fails after the tenth attempt, and none follows', () => {
    const delivery = failedTimes(10)
    expect(RETRY_GAPS).toHaveLength(9)
    expect(delivery).toMatchObject({ status: 'failed', attempt_count: 10, next_attempt: null })
    expect(delivery.attempts).toHaveLength(10)
    expect(deliveryJobs(delivery)).toEqual([])
  })

  test('may still be accepted at the tenth attempt', () => {
    expect(attempted(due(failedTimes(9)), answered(200), PRESENT).status).toBe('succeeded')
  })

  test('that is due for a retry is ready and has no job', () => {
    const delivery = due(failedTimes(3))
    expect(delivery).toMatchObject({ status: 'pending', is_ready: true, next_attempt: null })
    expect(delivery.attempts).toHaveLength(3)
    expect(deliveryJobs(delivery)).toEqual([])
  })

  test.each([200, 500, 410, null])(
    'that was discarded during an attempt stays discarded after a response of %s',
    (status) => {
      const discarded = { ...NEW, status: DISCARDED, is_ready: false }
      expect(attempted(discarded, answered(status), { isGone: status === 410 })).toMatchObject({
        status: 'discarded',
        attempts: [answered(status)],
        next_attempt: null,
      })
    },
  )
})
