import { expect, test } from 'vitest'
import { KINDS } from '../../../src/core/kinds.ts'
import { EVERYWHERE, PLACES } from '../../places.ts'
import { openTwin, subscribe } from '../../scenarios/story.ts'
import { asOperator, idsOf } from '../support.ts'

test.each(EVERYWHERE)('%s, a snapshot is compared with the present state', async (place) => {
  const twin = await openTwin({ database: PLACES[place]() })
  const operator = asOperator(twin)
  const compare = async () => (await operator('GET', 'snapshots/before/differences')).body
  const kept = await twin.post('/v1/customers', { name: 'Kept' })
  const gone = await twin.post('/v1/customers', { name: 'Ada' })
  await operator('POST', 'snapshots', { name: 'before' })
  expect(await compare()).toMatchObject({ id: 'before', counts: {}, data: [], has_more: false })

  await twin.post(`/v1/customers/${gone.id}`, { name: 'Grace' })
  const made = await twin.post('/v1/products', { name: 'Pro' })
  const merchant_id = twin.sandbox.merchant.settings.id
  expect(await compare()).toMatchObject({
    counts: {
      customer: { created: 0, changed: 1, removed: 0 },
      product: { created: 1, changed: 0, removed: 0 },
    },
    has_more: false,
  })
  expect((await compare()).data).toEqual(
    expect.arrayContaining([
      { object: 'customer', id: gone.id, change: 'changed', merchant_id },
      { object: 'product', id: made.id, change: 'created', merchant_id },
    ]),
  )

  // A later snapshot is compared with an earlier state: what was created since is now missing.
  await operator('POST', 'snapshots', { name: 'after' })
  await operator('POST', 'snapshots/before/restore')
  const { body } = await operator('GET', 'snapshots/after/differences')
  expect(body.counts).toMatchObject({ product: { created: 0, changed: 0, removed: 1 } })
  expect(idsOf(body.data)).not.toContain(kept.id)
})

test('differences beyond the first 1,000 are only counted', async () => {
  const twin = await openTwin({ database: ':memory:' })
  const operator = asOperator(twin)
  await operator('POST', 'snapshots', { name: 'empty' })
  const customers = Array.from({ length: 1_001 }, (_, index) => ({ ref: `c${index}`, name: 'C' }))
  await operator('POST', 'fixtures', { files: [{ name: 'many', content: { customers } }] })
  await subscribe(twin)
  const { body } = await operator('GET', 'snapshots/empty/differences')
  expect(body.data).toHaveLength(1_000)
  expect(body).toMatchObject({ has_more: true, counts: { customer: { created: 1_002 } } })
})

test('large objects are compared in steps of a limited size', async () => {
  const twin = await openTwin({ database: ':memory:' })
  const { store } = twin.sandbox.engine
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`key${key}`, 'x'.repeat(500)]))
  const customers = Array.from({ length: 400 }, (_, index) => ({ ref: `c${index}`, metadata }))
  for (const part of [customers.slice(0, 130), customers.slice(130, 260), customers.slice(260)])
    await asOperator(twin)('POST', 'fixtures', { files: [{ name: 'many', content: { customers: part } }] })
  await asOperator(twin)('POST', 'snapshots', { name: 'large' })
  const opened = await store.snapshots.open('large', 'comparison')
  const comparison = store.beginComparison(1_000)
  let steps = 1
  while (opened?.read((source) => comparison.step(source))) steps += 1
  opened?.close()
  // 10 MB in both directions: three steps of each in place of one.
  expect(steps).toBeGreaterThanOrEqual(2 * KINDS.length + 4)
})

test('a snapshot that does not exist is not found', async () => {
  const operator = asOperator(await openTwin({ database: ':memory:' }))
  expect((await operator('GET', 'snapshots/none/differences')).body.error.code).toBe('resource_missing')
})

test.each(EVERYWHERE)(
  '%s, many objects are compared in small steps, and a reset starts over',
  async (place) => {
    const twin = await openTwin({ database: PLACES[place]() })
    const { store } = twin.sandbox.engine
    const operator = asOperator(twin)
    const customers = Array.from({ length: 1_200 }, (_, index) => ({ ref: `c${index}`, name: 'C' }))
    await operator('POST', 'fixtures', { files: [{ name: 'many', content: { customers } }] })
    await operator('POST', 'snapshots', { name: 'many' })
    const opened = await store.snapshots.open('many', 'comparison')
    const comparison = store.beginComparison(1_000)
    const stepsUntilDone = () => {
      let steps = 1
      while (opened?.read((source) => comparison.step(source))) steps += 1
      return steps
    }
    // Each kind has a step at least in both directions, and 1,200 customers have three.
    expect(stepsUntilDone()).toBeGreaterThan(2 * KINDS.length + 5)
    opened?.close()
    const [compared] = await Promise.all([
      operator('GET', 'snapshots/many/differences'),
      operator('POST', 'reset'),
    ])
    expect([{}, { customer: { created: 0, changed: 0, removed: 1_200 } }]).toContainEqual(
      compared.body.counts,
    )
  },
)
