import { expect, test } from 'vitest'
import type { EndedAttempt, WebhookDelivery } from '../../src/core/webhook.ts'
import type { DeliveryTable } from '../../src/store/deliveries.ts'
import { Lane } from '../../src/webhooks/lane.ts'
import { turns } from './inbox.ts'

test('retries that are not sent but stay ready are not repeated at once', async () => {
  const ready = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, attempt_count: 1 }) as WebhookDelivery)
  const queue: Pick<DeliveryTable, 'nextNew' | 'readyRetries'> = {
    nextNew: () => undefined,
    readyRetries: (_, limit) => ready.slice(0, limit),
  }
  const attempted: string[] = []
  let idle = 0
  const lane = new Lane(queue as DeliveryTable, 'we_1', {
    sender: {
      attempt: ({ id }) => {
        attempted.push(id)
        // Endless repetition in microtasks would never return to the test.
        if (attempted.length > 20) throw new Error('repeated')
        return Promise.resolve(null)
      },
      record: () => Promise.resolve(true),
      isDeleted: () => false,
      failed: () => undefined,
      ended: () => undefined,
    },
    whenIdle: () => (idle += 1),
  })
  lane.pump()
  await turns()
  expect(attempted).toEqual(['a', 'b', 'c', 'd'])
  expect(idle).toBe(1)
})

test('retries that were discarded while they waited leave their places to others', async () => {
  const ready = new Set(['a', 'b', 'c', 'd'])
  const deliveryOf = (id: string, attempt_count: number) => ({ id, attempt_count }) as WebhookDelivery
  const queue: Pick<DeliveryTable, 'nextNew' | 'readyRetries'> = {
    nextNew: () => ({ seq: 1, delivery: deliveryOf('first', 0) }),
    readyRetries: (_, limit) => [...ready].slice(0, limit).map((id) => deliveryOf(id, 1)),
  }
  const attempted: string[] = []
  const discards: (() => void)[] = []
  const lane = new Lane(queue as DeliveryTable, 'we_1', {
    sender: {
      // The first attempt keeps the lane busy.
      attempt: ({ id }) => {
        attempted.push(id)
        return new Promise((resolve) => id === 'first' || discards.push(() => resolve(null)))
      },
      record: () => Promise.resolve(true),
      isDeleted: () => false,
      failed: (error) => {
        throw error
      },
      ended: () => undefined,
    },
    whenIdle: () => undefined,
  })
  lane.pump()
  ready.clear()
  for (const discard of discards) discard()
  await turns()
  ready.add('e')
  lane.pump()
  expect(attempted).toEqual(['first', 'a', 'b', 'c', 'd', 'e'])
})

test.each([
  ['a first attempt', 0],
  ['a retry', 1],
])('%s that cannot be recorded stops all attempts, so that the lane becomes idle', async (_, failing) => {
  let seq = 0
  const deliveryOf = (id: string, attempt_count: number) => ({ id, attempt_count }) as WebhookDelivery
  // There is always one more of each sort.
  const queue: Pick<DeliveryTable, 'nextNew' | 'readyRetries'> = {
    nextNew: () => ({ seq: ++seq, delivery: deliveryOf(`first_${seq}`, 0) }),
    readyRetries: (_endpoint, limit) =>
      Array.from({ length: limit }, (__, place) => deliveryOf(`retry_${place + ++seq}`, 1)),
  }
  let isBroken = false
  let attempts = 0
  let idle = 0
  const lane = new Lane(queue as DeliveryTable, 'we_1', {
    sender: {
      attempt: async () => {
        attempts += 1
        await turns(1)
        return { response_status: 200 } as EndedAttempt
      },
      record: ({ attempt_count }) => Promise.resolve(!isBroken || attempt_count !== failing),
      isDeleted: () => false,
      failed: (error) => {
        throw error
      },
      ended: () => undefined,
    },
    whenIdle: () => (idle += 1),
  })
  lane.pump()
  await turns(20)
  expect(lane.isBusy).toBe(true)
  isBroken = true
  await turns(20)
  const before = attempts
  // As an event does that is created meanwhile.
  lane.pump()
  await turns(20)
  expect({ attempts, idle, isBusy: lane.isBusy }).toEqual({ attempts: before, idle: 1, isBusy: false })
})
