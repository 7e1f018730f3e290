import { expect, test, vi } from 'vitest'
import { Housekeeping } from '../../src/daemon/housekeeping.ts'

test('housekeeping happens once at a time, and its end can be waited for', async () => {
  const finishes: (() => void)[] = []
  const doHousekeeping = vi.fn(() => new Promise<void>((resolve) => void finishes.push(resolve)))
  const housekeeping = new Housekeeping(doHousekeeping, () => expect.unreachable())
  housekeeping.begin()
  housekeeping.begin()
  expect(doHousekeeping).toHaveBeenCalledOnce()
  const order: string[] = []
  const ended = housekeeping.ended().then(() => order.push('ended'))
  await Promise.resolve()
  order.push('still under way')
  finishes[0]?.()
  await ended
  expect(order).toEqual(['still under way', 'ended'])
  housekeeping.begin()
  expect(doHousekeeping).toHaveBeenCalledTimes(2)
})

test('housekeeping that fails is reported, and can begin again', async () => {
  const failed = vi.fn()
  const housekeeping = new Housekeeping(() => Promise.reject(new Error('disk full')), failed)
  housekeeping.begin()
  await housekeeping.ended()
  expect(failed).toHaveBeenCalledWith(new Error('disk full'))
})
