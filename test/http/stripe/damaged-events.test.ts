import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { startTwin } from '../../twin.ts'

const JAN_31 = 1_769_853_600

test.each([
  ['a test clock', 'delete from clock_event where number = 1', 'test_helpers.test_clock.created'],
  ['an object', 'delete from journal where number = 1', 'customer.created'],
])('an event of %s whose entry is missing is an error, not unknown', async (_, damage, type) => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const options = {
    dialect: 'stripe',
    secretKey: 'sk_test_51SecretSecretSecretSecretSe',
    database: join(folder, 'paytwin.db'),
  } as const
  const whole = await startTwin(options)
  await whole.post('/v1/test_helpers/test_clocks', { frozen_time: JAN_31 })
  await whole.post('/v1/customers')
  const { data } = await whole.get('/v1/events')
  const { id } = data.find((event: { type: string }) => event.type === type)
  await whole.close()
  const database = new Sqlite(options.database)
  expect(database.prepare(damage).run().changes).toBe(1)
  database.close()

  const twin = await startTwin({ ...options, reportError: () => undefined })
  onTestFinished(() => twin.close())
  expect((await twin.request('GET', `/v1/events/${id}`)).status).toBe(500)
  expect((await twin.request('GET', `/v1/events/${id}x`)).status).toBe(404)
})
