import { expect, test } from 'vitest'
import type { WebhookDelivery } from '../../src/core/webhook.ts'
import type { DeliveryTable } from '../../src/store/deliveries.ts'
import { Lane } from '../../src/webhooks/lane.ts'
import { turns } from './inbox.ts'

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
