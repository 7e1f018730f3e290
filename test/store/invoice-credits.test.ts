import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { up } from '../../src/store/migrations/0035-line-credits.ts'
import { Statement } from '../../src/store/statements.ts'
import { asOperator } from '../http/support.ts'
import { newFolder } from '../places.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'

const LONG = 'x'.repeat(5_000)

let path: string
let twin: Twin
let invoice: Body
/** Creates an open invoice with two lines of 10.00 USD, whose descriptions are as long as they can be. */
beforeEach(async () => {
  path = join(newFolder(), 'paytwin.db')
  twin = await startTwin({ database: path })
  const { customer } = await makeCustomer(twin)
  for (const amount of [1000, 1000])
    await twin.post('/v1/invoiceitems', {
      customer: customer.id,
      amount,
      currency: 'usd',
      description: LONG,
    })
  const { id } = await twin.post('/v1/invoices', { customer: customer.id })
  invoice = await twin.post(`/v1/invoices/${id}/finalize`)
})
afterEach(() => twin.close())

const parts = (...amounts: readonly number[]) => ({
  invoice: invoice.id,
  lines: amounts.map((amount, index) => ({
    type: 'invoice_line_item',
    invoice_line_item: invoice.lines.data[index].id,
    amount,
  })),
})
const credit = (...amounts: readonly number[]) => twin.post('/v1/credit_notes', parts(...amounts))

/** Returns the refusal of a note that credits more of the first line than it can have. */
const refusal = async (amount: number): Promise<string> =>
  (await twin.request('POST', '/v1/credit_notes', parts(amount))).body.error?.message

const AT_MOST = (rest: number, amount: number) =>
  `At most ${rest} of the line '${invoice.lines.data[0].id}' can still be credited, not ${amount}`

const EACH = `select line, amount from line_credit where amount <> 0 order by line`

test('a line is credited up to its amount, by notes one after another or at once', async () => {
  await credit(300, 100)
  await credit(300)
  expect(await refusal(401)).toBe(AT_MOST(400, 401))
  const statuses = await Promise.all(
    [250, 250, 250].map(
      async (amount) => (await twin.request('POST', '/v1/credit_notes', parts(amount))).status,
    ),
  )
  expect(statuses.toSorted()).toEqual([201, 400, 400])
  expect(await refusal(151)).toBe(AT_MOST(150, 151))
})

test('a preview credits nothing, and an update does not credit again', async () => {
  const note = await credit(300)
  await twin.post(`/v1/credit_notes/${note.id}`, { memo: 'Sorry' })
  const line = `lines[0][type]=invoice_line_item&lines[0][invoice_line_item]=${invoice.lines.data[0].id}`
  await twin.get(`/v1/credit_notes/preview?invoice=${invoice.id}&${line}&lines[0][amount]=700`)
  expect(await refusal(701)).toBe(AT_MOST(700, 701))
})

test('what a void note credited can be credited again', async () => {
  const note = await credit(900)
  await credit(50)
  await twin.post(`/v1/credit_notes/${note.id}/void`)
  expect(await refusal(951)).toBe(AT_MOST(950, 951))
  await credit(950)
})

test('a restore takes back what was credited since', async () => {
  await credit(300)
  await asOperator(twin)('POST', 'snapshots', { name: 'early' })
  await credit(700)
  await asOperator(twin)('POST', 'snapshots/early/restore')
  expect(await refusal(701)).toBe(AT_MOST(700, 701))
  await credit(700)
})

test('a migrated database has the same sums', async () => {
  const note = await credit(300, 200)
  await credit(100, 200)
  await twin.post('/v1/credit_notes', { invoice: invoice.id, amount: 100 })
  await twin.post(`/v1/credit_notes/${note.id}/void`)
  await twin.close()
  const database = new Sqlite(path)
  const before = database.prepare(EACH).all()
  database.exec('drop table line_credit')
  up(database)
  expect(database.prepare(EACH).all()).toEqual(before)
  expect(before).toHaveLength(2)
  database.close()
})

test('a further credit note does not read the lines of earlier ones', async () => {
  for (let n = 0; n < 20; n += 1) await credit(1, 1)
  const read = async () => {
    const all = vi.spyOn(Statement.prototype, 'all')
    const get = vi.spyOn(Statement.prototype, 'get')
    await credit(1, 1)
    const results = [...all.mock.results, ...get.mock.results]
    all.mockRestore()
    get.mockRestore()
    return results.reduce((sum, { value }) => sum + (JSON.stringify(value)?.length ?? 0), 0)
  }
  // The invoice may be read, but no note.
  expect(await read()).toBeLessThan(4 * LONG.length)
})
