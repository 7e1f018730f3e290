import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { FIRST } from '../crash/migrations.ts'
import { asOperator } from '../http/support.ts'
import { newFolder } from '../places.ts'
import { makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { tablesOf, writeInSchema } from './older-schema.ts'

/** Enough for keyframes of a customer, a price and a subscription, whose fields are of every type. */
const DAYS = 70

/** Creates long histories and many short ones. */
async function play(twin: Twin): Promise<void> {
  const price = await makePrice(twin, { recurring: { interval: 'day' } })
  const { customer, method } = await makeCustomer(twin)
  const outcomes = ['succeed', 'decline:insufficient_funds']
  await twin.post(`/v1/test_helpers/payment_methods/${method.id}/outcomes`, { outcomes })
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  })
  await move(twin, customer.id)
  for (let n = 0; n < DAYS; n += 1) {
    const metadata = { n: String(n) }
    await twin.post(`/v1/customers/${customer.id}`, { metadata, name: n % 3 === 0 ? '' : `Ada ${n}` })
    await twin.post(`/v1/prices/${price.id}`, { metadata, active: n % 2 === 0 })
    await twin.post(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: n % 2 === 1 })
    await twin.post(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: false })
    await twin.advance({ by: '1d' })
  }
}

/** Moves a payment method and a payment intent away from a customer. */
async function move(twin: Twin, customer: string): Promise<void> {
  const card = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer })
  await twin.post(`/v1/payment_methods/${card.id}/detach`)
  const intent = await twin.post('/v1/payment_intents', { amount: 100, currency: 'usd', customer })
  const { customer: other } = await makeCustomer(twin)
  await twin.post(`/v1/payment_intents/${intent.id}`, { customer: other.id })
}

/** Reads every row of every table. The fields of a keyframe are in no particular order. */
const rowsOf = (database: Sqlite.Database): Record<string, unknown[]> =>
  Object.fromEntries(
    tablesOf(database).map((table) => {
      const rows = database.prepare(`select * from ${table} order by 1`).all() as Record<string, unknown>[]
      const isKeyframe = table === 'keyframe'
      return [
        table,
        isKeyframe ? rows.map((row) => ({ ...row, state: JSON.parse(String(row.state)) })) : rows,
      ]
    }),
  )

test('databases and snapshots of the first schema get the same chains and keyframes as new ones', async () => {
  const folder = newFolder()
  const [native, older] = [join(folder, 'native.db'), join(folder, 'older.db')]
  const twin = await startTwin({ database: native })
  await play(twin)
  const events = await twin.events()
  await twin.close()
  await writeInSchema(FIRST, { from: native, to: older })
  mkdirSync(join(folder, 'snapshots'))
  copyFileSync(older, join(folder, 'snapshots', 'old.db'))

  const expected = rowsOf(new Sqlite(native, { readonly: true }))
  expect(expected.keyframe?.length).toBeGreaterThan(3)
  const migrated = await openDatabase(older, 'normal')
  expect(rowsOf(migrated)).toEqual(expected)
  migrated.close()
  expect(statSync(`${older}.schema-1.backup`).size).toBeGreaterThan(0)

  const another = await startTwin({ database: older, secretKey: twin.secretKey })
  expect(await another.events()).toEqual(events)
  await another.post('/v1/products', { name: 'Plan' })
  const restored = await asOperator(another)('POST', 'snapshots/old/restore')
  expect(restored.status).toBe(200)
  expect(await another.events()).toEqual(events)
  await another.close()
}, 60_000)
