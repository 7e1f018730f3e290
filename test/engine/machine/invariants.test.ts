import { expect, test } from 'vitest'
import { Change } from '../../../src/core/change.ts'
import { apply } from '../../../src/engine/machine/apply.ts'
import type { UnitOfWork } from '../../../src/engine/machine/unit.ts'
import { Place } from '../../../src/store/place.ts'
import { historyOf, openTwin, subscribe } from '../../scenarios/story.ts'

async function prepare() {
  const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
  const { subscription } = await subscribe(twin)
  const { engine, merchant } = twin.sandbox
  const command = (run: (unit: UnitOfWork) => void) => engine.command(merchant, null, run)
  return { twin, subscription, command, merchant }
}

test('a change to a wrong state is rolled back as a whole', async () => {
  const { twin, subscription, command } = await prepare()
  const before = await historyOf(twin)
  const wrong = command((unit) => {
    const change = new Change()
    const customer = unit.need('customer', subscription.customer)
    change.update('customer', customer, (latest) => ({ ...latest, name: 'Not stored' }), 'customer.updated')
    const invoice = unit.need('invoice', subscription.latest_invoice)
    change.update('invoice', invoice, (latest) => ({ ...latest, total: latest.total + 1 }))
    apply(unit, change)
  })
  await expect(wrong).rejects.toThrow(/Assertion failed: the total of in_\w+ is the sum of its lines/)
  expect(await historyOf(twin)).toEqual(before)
})

test('a job in the past of its clock runs first in the next advance, at the time of the clock', async () => {
  const { twin, subscription, command, merchant } = await prepare()
  const now = merchant.clock.instant
  await command((unit) => {
    const change = new Change()
    const object = unit.need('subscription', subscription.id)
    change.update('subscription', object, (latest) => ({ ...latest, cancel_at: now - 1 }))
    apply(unit, change)
  })
  await twin.advance({ by: '1d' })
  expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
    status: 'canceled',
    ended_at: now,
  })
})

test('a clock does not go back', async () => {
  const { command, merchant } = await prepare()
  const back = command((unit) => {
    unit.touch(merchant.clock)
    merchant.clock.moveTo(merchant.clock.instant - 1)
  })
  await expect(back).rejects.toThrow('does not go back')
})

test('an entry is linked only to an earlier one', () => {
  const place = new Place(1, 7, 1)
  expect(() => place.link(7)).toThrow('the entry 7 follows the entry 7')
  expect(place.link(8)).toBe(7)
})
