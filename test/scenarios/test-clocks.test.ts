import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../src/daemon/sandbox.ts'
import { STEP_LIMITS, type WorkLimits } from '../../src/engine/machine/work-limits.ts'
import { type Body, clientOf, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, nowOf, openTwin } from './story.ts'

const PATH = '/v1/test_helpers/test_clocks'
const NOW = '2026-06-01T09:00:00Z'
const END = '2026-07-01T09:00:00Z'
/** Far enough that other requests are served before the advance ends. */
const LATE = '2026-09-01T09:00:00Z'
const DAYS_TO_LATE = 92
const SECRET_KEY = 'sk_test_000000000000000000000000'
const SUBSCRIPTIONS = 12
/** Fewer, where whole histories are compared: reading them takes longer than the advance. */
const FEW = 4
/** An advance has many batches. */
const LIMITS: WorkLimits = { ...STEP_LIMITS, jobs: { ms: Number.POSITIVE_INFINITY, steps: 10 } }

/** A test clock with customers who are billed each day: enough jobs for many batches. */
async function busyClock(
  twin: Twin,
  outcomes: string[] = [],
  count = SUBSCRIPTIONS,
): Promise<{ id: string; customer: Body }> {
  const { id } = await twin.post(PATH, { frozen_time: at(NOW) })
  const price = await makePrice(twin, { recurring: { interval: 'day' } })
  let customer: Body = {}
  for (let n = 0; n < count; n += 1) {
    customer = await twin.post('/v1/customers', { test_clock: id })
    const method = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
    await twin.post(`/v1/test_helpers/payment_methods/${method.id}/outcomes`, { outcomes })
    const items = [{ price: price.id }]
    const body = { customer: customer.id, currency: 'usd', default_payment_method: method.id, items }
    await twin.post('/v1/subscriptions', body)
  }
  return { id, customer }
}

const advance = (twin: Twin, id: string, params: Body) => twin.post(`${PATH}/${id}/advance`, params)
const showing = async (twin: Twin, id: string): Promise<Body> => twin.get(`${PATH}/${id}`)

/** Begins an advance. */
async function begin(twin: Twin, id: string, to = END): Promise<{ moved: Promise<Body> }> {
  const moved = advance(twin, id, { to })
  while ((await showing(twin, id)).status === 'ready') await turn()
  expect((await showing(twin, id)).target).toBe(at(to))
  return { moved }
}

describe('while a test clock advances', () => {
  test('writes of its own customers wait, others do not, and reads see intermediate times', async () => {
    const twin = await openTwin({ now: NOW, limits: LIMITS })
    const { id, customer } = await busyClock(twin)
    const { moved } = await begin(twin, id, LATE)
    let hasEnded = false
    const ended = moved.then((response) => {
      hasEnded = true
      return response
    })
    const other = await twin.post(PATH, { frozen_time: 0 })
    await twin.post('/v1/customers', { name: 'on the main clock' })
    await twin.post('/v1/customers', { test_clock: other.id })
    expect(hasEnded).toBe(false)
    const { now } = await showing(twin, id)
    expect(now).toBeLessThan(at(LATE))

    const [named, made, again] = await Promise.all([
      twin.post(`/v1/customers/${customer.id}`, { name: 'Ada' }),
      twin.post('/v1/customers', { test_clock: id }),
      twin.request('POST', `${PATH}/${id}/advance`, { to: LATE }),
    ])
    expect(hasEnded).toBe(true)
    expect(named.name).toBe('Ada')
    expect(made.created).toBe(at(LATE))
    expect(again.status).toBe(400)
    expect((await ended).summary.jobs).toBe(SUBSCRIPTIONS * DAYS_TO_LATE)
    expect((await advance(twin, other.id, { by: '1y' })).now).toBe(at('1971-01-01'))
    expect((await twin.advance({ by: '1d' })).now).toBe(at('2026-06-02T09:00:00Z'))
  })

  test.each([
    ['a payment intent', '/v1/payment_intents/@/confirm', {}],
    ['a refund', '/v1/refunds', { charge: '@charge' }],
  ])('%s of its customers waits too, although it names no clock', async (_, path, body: Body) => {
    const twin = await openTwin({ now: NOW, limits: LIMITS })
    const { id, customer } = await busyClock(twin)
    const own = { customer: customer.id, amount: 500, currency: 'usd', payment_method: 'pm_card_visa' }
    const waiting = await twin.post('/v1/payment_intents', own)
    const paid = await twin.post('/v1/payment_intents', { ...own, confirm: true })
    const { moved } = await begin(twin, id)
    const given = body.charge ? { charge: paid.latest_charge } : body
    const made = await twin.post(path.replace('@', waiting.id), given)
    const made_at =
      made.object === 'refund' ? made.created : (await twin.get(`/v1/charges/${made.latest_charge}`)).created
    expect(made_at).toBe(at(END))
    await moved
  })

  test('deleting it waits for its end', async () => {
    const twin = await openTwin({ now: NOW, limits: LIMITS })
    const { id } = await busyClock(twin)
    const { moved } = await begin(twin, id)
    await twin.delete(`${PATH}/${id}`)
    const [newest] = (await twin.get('/v1/events?limit=1')).data
    expect(newest).toMatchObject({ type: 'customer.deleted', created: at(END) })
    expect((await moved).now).toBe(at(END))
  })

  test('it can be canceled, and continuing gives the history of one advance', async () => {
    const play = async (isCanceled: boolean) => {
      const twin = await openTwin({ now: NOW, limits: LIMITS })
      const { id } = await busyClock(twin, ['succeed', 'decline:lost_card'], 3 * FEW)
      const { moved } = await begin(twin, id)
      if (isCanceled) {
        await twin.post(`${PATH}/${id}/cancel`)
        expect((await moved).now).toBeLessThan(at(END))
        await advance(twin, id, { to: END })
      }
      await moved
      return bytesOf(await historyOf(twin))
    }
    expect(await play(true)).toEqual(await play(false))
  })

  test('a card script is used up once for each attempt, though a request had to wait', async () => {
    const twin = await openTwin({ now: NOW, limits: LIMITS })
    const { id, customer } = await busyClock(twin)
    const card = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
    const outcomes = ['decline:lost_card', 'succeed', 'decline:expired_card']
    await twin.post(`/v1/test_helpers/payment_methods/${card.id}/outcomes`, { outcomes })
    const pay = () =>
      twin.request('POST', '/v1/payment_intents', {
        customer: customer.id,
        amount: 500,
        currency: 'usd',
        payment_method: card.id,
        confirm: true,
      })
    const { moved } = await begin(twin, id)
    const responses = await Promise.all([pay(), pay(), pay()])
    expect(responses.map(({ status }) => status)).toEqual([402, 201, 402])
    await moved
  })
})

test('two test clocks and the main clock advance simultaneously, each with its own history', async () => {
  const play = async (isParallel: boolean) => {
    const twin = await openTwin({ now: NOW, limits: LIMITS })
    const first = await busyClock(twin, [], FEW)
    const second = await busyClock(twin, ['succeed', 'decline:lost_card', 'decline:lost_card'], FEW)
    const steps = [
      () => advance(twin, first.id, { to: END }),
      () => advance(twin, second.id, { by: '1mo' }),
      () => twin.advance({ to: END }),
    ]
    if (isParallel) await Promise.all(steps.map((step) => step()))
    else for (const step of steps) await step()
    expect(await nowOf(twin)).toBe(at(END))
    const events = await twin.events()
    return [first, second].map(({ customer }) =>
      events
        .filter(({ data }) => data.object.customer === customer.id)
        .map(({ type, created, data }) => `${created} ${type} ${data.object.status}`),
    )
  }
  expect(await play(true)).toEqual(await play(false))
})

test('an advance of a test clock that a crash interrupts continues at the next start', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-clock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [original, crashed] = ['original.db', 'crashed.db'].map((name) => join(folder, name)) as [
    string,
    string,
  ]
  const open = async (database: string) => {
    const sandbox = await openSandbox({
      database,
      clock: at(NOW),
      seed: '7',
      secretKey: SECRET_KEY,
      limits: LIMITS,
    })
    onTestFinished(() => sandbox.close())
    return clientOf(sandbox, SECRET_KEY)
  }
  const first = await open(original)
  const { id } = await busyClock(first, ['succeed', 'decline:lost_card'])
  let commits = 0
  first.sandbox.engine.listen({
    committed: () => {
      commits += 1
      if (commits !== 3) return
      for (const suffix of ['', '-wal']) {
        if (existsSync(original + suffix)) copyFileSync(original + suffix, crashed + suffix)
      }
    },
  })
  const { summary } = await advance(first, id, { to: END })
  expect(commits).toBeGreaterThan(3)

  const second = await open(crashed)
  expect(await showing(second, id)).toMatchObject({ status: 'advancing', target: at(END) })
  const { engine } = second.sandbox
  expect(await Promise.all(engine.time.resume(engine.merchants.values()))).toEqual([summary])
  expect(await showing(second, id)).toMatchObject({ status: 'ready', target: null, now: at(END) })
  expect(bytesOf(await historyOf(second))).toEqual(bytesOf(await historyOf(first)))
})
