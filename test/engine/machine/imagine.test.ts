import { expect, test } from 'vitest'
import { Change } from '../../../src/core/change.ts'
import { apply } from '../../../src/engine/machine/apply.ts'
import { nextInvoice } from '../../../src/engine/machine/jobs.ts'
import type { UnitOfWork } from '../../../src/engine/machine/unit.ts'
import { openTwin, subscribe } from '../../scenarios/story.ts'

async function prepare() {
  const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
  const { subscription } = await subscribe(twin)
  const { engine, merchant } = twin.sandbox
  const command = <T>(run: (unit: UnitOfWork) => T) => engine.command(merchant, null, run)
  return { subscription, command, store: engine.store }
}

test('the next invoice is decided without running a statement that writes', async () => {
  const { subscription, command, store } = await prepare()
  const { next } = store.journal
  const { writes } = store.objects
  const [first, again] = await command((unit) => [
    nextInvoice(unit, subscription.id),
    nextInvoice(unit, subscription.id),
  ])
  expect(first).toMatchObject({ period_start: subscription.current_period_end, total: 2000 })
  // The ids are given back, so the second time they are the same.
  expect(again).toEqual(first)
  expect(store.journal.next).toBe(next)
  expect(store.objects.writes).toBe(writes)
})

test('an imagined decision that writes fails', async () => {
  const { subscription, command } = await prepare()
  const wrong = command((unit) =>
    unit.imagine((imagined) => {
      const change = new Change()
      const customer = imagined.need('customer', subscription.customer)
      change.update('customer', customer, (latest) => ({ ...latest, name: 'Not stored' }), 'customer.updated')
      apply(imagined, change)
    }, 1_800_000_000),
  )
  await expect(wrong).rejects.toThrow('Assertion failed: an imagined decision writes nothing')
})
