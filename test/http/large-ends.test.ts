import { expect, test, vi } from 'vitest'
import { Change } from '../../src/core/change.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { KEYFRAME_ENTRIES, Keyframes } from '../../src/store/keyframes.ts'
import { ObjectTable } from '../../src/store/objects.ts'
import { at, listAll, openTwin, subscribe } from '../scenarios/story.ts'
import type { Body, Twin } from '../twin.ts'
import { charactersReadBy } from './characters-read.ts'

const LARGE = 100_000
const DAILY = { recurring: { interval: 'day' } }

/** Changes the metadata of an invoice to values that the API would refuse. */
async function setMetadata(twin: Twin, { id }: Body, metadata: Record<string, string>): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const change = new Change()
    change.update('invoice', unit.need('invoice', id), (invoice) => ({ ...invoice, metadata }))
    apply(unit, change)
  })
}

/** A subscription whose last three invoices are large and will be retried, which are returned. None of them is in the cache. */
async function openLargeInvoices() {
  const twin = await openTwin({ now: '2026-06-01T09:00:00Z' })
  const { subscription } = await subscribe(twin, {
    price: DAILY,
    outcomes: ['succeed'],
    afterwards: 'decline:insufficient_funds',
  })
  await twin.advance({ to: '2026-06-04T10:00:00Z' })
  const retried = (await listAll(twin, '/v1/invoices')).filter(
    (invoice) => invoice.next_payment_attempt !== null,
  )
  expect(retried).toHaveLength(3)
  for (const invoice of retried) await setMetadata(twin, invoice, { large: 'x'.repeat(LARGE) })
  twin.sandbox.engine.store.objects.forget()
  return { twin, subscription, retried }
}

/** Checks that invoices lost only their planned attempts. */
async function expectUnplanned(twin: Twin, retried: readonly Body[]): Promise<void> {
  for (const before of retried) {
    const after = await twin.get(`/v1/invoices/${before.id}`)
    const { metadata } = after
    expect(after).toEqual({ ...before, next_payment_attempt: null, auto_advance: false, metadata })
    expect(metadata.large).toHaveLength(LARGE)
  }
  expect((await twin.get('/v1/test_helpers/upcoming')).data).toEqual([])
}

test('the end of a subscription removes the planned attempts of its invoices without reading them', async () => {
  const { twin, subscription, retried } = await openLargeInvoices()
  const { read } = await charactersReadBy(() => twin.delete(`/v1/subscriptions/${subscription.id}`))
  expect(read).toBeLessThan(LARGE)
  await expectUnplanned(twin, retried)
})

test('so does an end that changes invoices that are in the cache', async () => {
  const { twin, subscription, retried } = await openLargeInvoices()
  for (const { id } of retried) await twin.get(`/v1/invoices/${id}`)
  await twin.delete(`/v1/subscriptions/${subscription.id}`)
  await expectUnplanned(twin, retried)
  twin.sandbox.engine.store.objects.forget()
  await expectUnplanned(twin, retried)
})

test('the preview of an end changes none of them', async () => {
  const { twin, subscription } = await openLargeInvoices()
  const update = vi.spyOn(ObjectTable.prototype, 'updatePlan')
  const preview = (params: Body = {}) =>
    twin.request('POST', '/v1/invoices/create_preview', { subscription: subscription.id, ...params })
  try {
    expect(await preview({ subscription_details: { cancel_now: true } })).toMatchObject({ status: 400 })
    await twin.post(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    expect(await preview()).toMatchObject({ status: 400 })
    expect(update).not.toHaveBeenCalled()
    await twin.delete(`/v1/subscriptions/${subscription.id}`)
    expect(update).toHaveBeenCalledTimes(3)
  } finally {
    update.mockRestore()
  }
})

test('an end whose entry of an invoice has a keyframe stores the whole state', async () => {
  const { twin, subscription, retried } = await openLargeInvoices()
  const [invoice] = retried
  const add = vi.spyOn(Keyframes.prototype, 'add')
  let update = 0
  const change = () => setMetadata(twin, invoice ?? {}, { update: String(++update) })
  while (add.mock.calls.length === 0) await change()
  for (let entries = 1; entries < KEYFRAME_ENTRIES; entries += 1) await change()
  twin.sandbox.engine.store.objects.forget()
  add.mockClear()
  await twin.delete(`/v1/subscriptions/${subscription.id}`)
  const states = add.mock.calls.map(([, state]) => state)
  add.mockRestore()
  expect(states).toMatchObject([
    {
      id: invoice?.id,
      created: at('2026-06-02T09:00:00Z'),
      next_payment_attempt: null,
      metadata: { update: String(update) },
      lines: [{ amount: 2000 }],
    },
  ])
})
