import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { JOBS_ALONE } from '../../src/engine/machine/advance-turns.ts'
import { type Body, makePrice, startTwin, type Twin } from '../twin.ts'
import { openShop } from '../webhooks/inbox.ts'
import { at, bytesOf, historyOf, listAll, subscribe } from './story.ts'

const PATH = '/v1/test_helpers/test_clocks'
const NOW = '2026-06-01T09:00:00Z'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Makes each batch run one job, as on a very slow machine. */
function slowDown(): void {
  let time = 0
  vi.spyOn(process, 'hrtime').mockImplementation(
    Object.assign(
      () => {
        time += 1
        return [time, 0] as [number, number]
      },
      { bigint: () => 0n },
    ),
  )
}

/** A test clock with a customer who is billed each day. */
async function billedDaily(twin: Twin): Promise<{ path: string; customer: string }> {
  const { id: test_clock } = await twin.post(PATH, { frozen_time: at(NOW) })
  const price = await makePrice(twin, { recurring: { interval: 'day' } })
  const { id: customer } = await twin.post('/v1/customers', { test_clock })
  const { id } = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer })
  const items = [{ price: price.id }]
  await twin.post('/v1/subscriptions', { customer, currency: 'usd', default_payment_method: id, items })
  return { path: `${PATH}/${test_clock}`, customer }
}

const advance = (twin: Twin, { path }: { path: string }, by: string): Promise<Body> =>
  twin.post(`${path}/advance`, { by, async: true })

/** The customers of renewals in their order, each once for all that follow one another. */
async function payersInTurn(twin: Twin): Promise<string[]> {
  const events = await listAll(twin, '/v1/events?type=invoice.paid')
  const renewals = events.filter(({ created }) => created > at(NOW))
  const payers = renewals.map(({ data }): string => data.object.customer)
  return payers.filter((payer, index) => payer !== payers[index - 1])
}

test('the advances of a merchant run one after the other, as they were requested', async () => {
  const twin = await startTwin({ now: NOW })
  const clocks = [await billedDaily(twin), await billedDaily(twin), await billedDaily(twin)] as const
  slowDown()
  const inOrder = [clocks[2], clocks[0], clocks[1]]
  for (const clock of inOrder) await advance(twin, clock, '20d')
  await twin.sandbox.engine.time.idle()
  expect(await payersInTurn(twin)).toEqual(inOrder.map(({ customer }) => customer))
  await twin.close()
})

test('with a seed, the history does not depend on the machine', async () => {
  const play = async () => {
    const twin = await startTwin({ now: NOW })
    for (const clock of [await billedDaily(twin), await billedDaily(twin)]) await advance(twin, clock, '30d')
    await twin.sandbox.engine.time.idle()
    const history = bytesOf(await historyOf(twin))
    await twin.close()
    return history
  }
  const usual = await play()
  slowDown()
  expect(await play()).toEqual(usual)
})

test('a receiver can advance another clock while an advance awaits webhooks', async () => {
  const shop = await openShop()
  const { id } = await shop.post(PATH, { frozen_time: at(NOW) })
  const answers: Body[] = []
  shop.inbox.receive = async ({ event }) => {
    if (event.type !== 'invoice.paid') return 200
    answers.push(await shop.post(`${PATH}/${id}/advance`, { by: '1d' }))
    return 200
  }
  await subscribe(shop)
  await shop.endpoint()
  await shop.advance({ by: '1mo', await_webhooks: true })
  expect(answers).toMatchObject([{ status: 'ready', now: at('2026-06-02T09:00:00Z') }])
})

test('a canceled advance does not wait for those before it', async () => {
  const twin = await startTwin({ now: NOW })
  const [first, second, third] = [await billedDaily(twin), await billedDaily(twin), await billedDaily(twin)]
  slowDown()
  for (const clock of [first, second, third]) await advance(twin, clock, '200d')
  await twin.post(`${second.path}/cancel`)
  await vi.waitFor(
    async () => expect(await twin.get(second.path)).toMatchObject({ status: 'ready', now: at(NOW) }),
    {
      interval: 1,
    },
  )
  expect((await twin.get(first.path)).status).toBe('advancing')
  await twin.sandbox.engine.time.idle()
  expect(await payersInTurn(twin)).toEqual([first.customer, third.customer])
  await twin.close()
})

/** Requests two advances, interrupts them, and lets a restart complete them. @returns the customers, in the order of renewals */
async function interrupted(change: (database: string) => void = () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'paytwin.db')
  const twin = await startTwin({ now: NOW, database })
  const secretKey = twin.sandbox.secretKey ?? ''
  const [first, second] = [await billedDaily(twin), await billedDaily(twin)]
  slowDown()
  await advance(twin, second, '20d')
  await advance(twin, first, '20d')
  await twin.sandbox.engine.time.stop()
  await twin.close()
  change(database)
  const again = await startTwin({ database, clock: null, seed: null, secretKey })
  const { time, merchants } = again.sandbox.engine
  await Promise.all(time.resume(merchants.values()))
  const payers = await payersInTurn(again)
  await again.close()
  return { payers, requested: [second.customer, first.customer] }
}

test('a restart keeps the order of the advances', async () => {
  const { payers, requested } = await interrupted()
  expect(payers).toEqual(requested)
})

test('the others take turns with an advance that has run very many jobs', async () => {
  const { payers, requested } = await interrupted((path) => {
    const database = new Sqlite(path)
    database
      .prepare("update clock set advance = json_set(advance, '$.summary.jobs', ?) where target is not null")
      .run(JOBS_ALONE)
    database.close()
  })
  expect(payers.slice(0, 4)).toEqual([...requested, ...requested])
})
