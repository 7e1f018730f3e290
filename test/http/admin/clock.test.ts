import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Body, clientOf, makeCustomer, makePrice, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, invalid, missing, unknown } from '../support.ts'

const NOW = 1769853600
const DAY = 86_400

let twin: Twin
let first: string
let other: Body
let otherTwin: Twin
const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const clocks = async (): Promise<number[]> =>
  (await operator('GET', 'clock')).body.data.map(({ now }: Body) => now)

beforeEach(async () => {
  twin = await startTwin()
  first = twin.sandbox.merchant.settings.id
})
afterEach(() => twin.close())

async function addMerchant(clock: string | number = NOW): Promise<void> {
  const made = await anotherMerchant(twin, clock)
  other = made.merchant
  otherTwin = clientOf(twin.sandbox, made.secretKey)
}

async function subscribe(client: Twin, params: Body = {}): Promise<Body> {
  const price = await makePrice(client)
  const { customer, method } = await makeCustomer(client)
  const body = { customer: customer.id, currency: 'usd', default_payment_method: method.id }
  return client.post('/v1/subscriptions', { ...body, items: [{ price: price.id }], ...params })
}

describe('with one merchant', () => {
  test('an advance needs no merchant, and returns the clock of /v1 in a list', async () => {
    await subscribe(twin)
    const { status, body } = await operator('POST', 'clock/advance', { by: '1mo' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'list', has_more: false, livemode: false })
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toMatchObject({
      object: 'clock',
      merchant_id: first,
      now: 1772272800,
      status: 'ready',
      summary: { jobs: 1, events: 6, invoices_paid: 1, payments_failed: 0, stopped_on: null },
    })
  })

  test('stops on the given event', async () => {
    await subscribe(twin)
    const { body } = await operator('POST', 'clock/advance', { by: '1y', stop_on: ['invoice.*'] })
    expect(body.data[0]).toMatchObject({ now: 1772272800, summary: { stopped_on: 'invoice.created' } })
  })

  test.each<[Body, string]>([
    [{ to: NOW }, 'to'],
    [{ to: NOW - 1 }, 'to'],
    [{ to: 'x' }, 'to'],
    [{ by: '-1d' }, 'by'],
    [{ by: '0d' }, 'by'],
    [{ by: '999999999y' }, 'by'],
    [{ by: '1d', stop_on: ['nothing'] }, 'stop_on[0]'],
    [{ by: '1d', to: NOW + 1 }, 'by'],
    [{ by: '1d', all: 'yes' }, 'all'],
    [{ by: '1d', async: 'yes' }, 'async'],
  ])('refuses %j', async (body, param) => {
    expectRefusal(await operator('POST', 'clock/advance', body), invalid(param))
    expect(await clocks()).toEqual([NOW])
  })

  test('an advance without a target is refused', async () => {
    expectRefusal(await operator('POST', 'clock/advance', {}), missing('to'))
  })

  test('freezes and unfreezes', async () => {
    expect((await operator('POST', 'clock/unfreeze')).body.data[0]).toMatchObject({ mode: 'live' })
    expect((await operator('POST', 'clock/freeze')).body.data[0]).toMatchObject({ mode: 'frozen' })
  })

  test('lists upcoming jobs', async () => {
    const { id } = await subscribe(twin)
    expect((await operator('GET', 'upcoming')).body).toMatchObject({
      object: 'list',
      url: '/_paytwin/upcoming',
      data: [{ due: 1772272800, kind: 'renewal', subscription: id, merchant_id: first }],
    })
  })
})

test('the pages of upcoming jobs go both ways', async () => {
  for (const trial_period_days of [1, 2, 3]) await subscribe(twin, { trial_period_days })
  const ids = async (query = '') =>
    (await operator('GET', `upcoming${query}`)).body.data.map(({ id }: Body) => id)
  const all = await ids()
  expect(await ids(`?limit=1&starting_after=${all[0]}`)).toEqual([all[1]])
  expect(await ids(`?limit=1&ending_before=${all.at(-1)}`)).toEqual([all.at(-2)])
  expect(await ids(`?ending_before=${all.at(-1)}`)).toEqual(all.slice(0, -1))
})

describe('with several merchants', () => {
  test.each(['advance', 'freeze', 'unfreeze', 'cancel'])('%s requires a merchant', async (verb) => {
    await addMerchant()
    const target = verb === 'advance' ? { by: '1d' } : {}
    const post = (body: Body) => operator('POST', `clock/${verb}`, { ...target, ...body })
    expectRefusal(await post({}), missing('merchant'))
    expectRefusal(await post({ all: false }), missing('merchant'))
    expectRefusal(await post({ merchant: 'mer_unknown' }), unknown('merchant'))
    expectRefusal(await post({ merchant: first, all: true }), invalid('all'))
    expect(await clocks()).toEqual([NOW, NOW])
  })

  test('one is moved, the other stays', async () => {
    await addMerchant()
    await operator('POST', 'clock/advance', { merchant: other.id, by: '1d' })
    expect(await clocks()).toEqual([NOW, NOW + DAY])
    expect((await operator('GET', `clock?merchant=${other.id}`)).body.data).toMatchObject([
      { now: NOW + DAY },
    ])
    expectRefusal(await operator('GET', 'clock?merchant=mer_unknown'), unknown('merchant'))
  })

  test('all are moved, each from its own time', async () => {
    await addMerchant(NOW - 10 * DAY)
    const { body } = await operator('POST', 'clock/advance', { all: true, by: '1d' })
    expect(body.data.map(({ now, merchant_id }: Body) => [merchant_id, now])).toEqual([
      [first, NOW + DAY],
      [other.id, NOW - 9 * DAY],
    ])
    await operator('POST', 'clock/advance', { all: true, to: NOW + 2 * DAY })
    expect(await clocks()).toEqual([NOW + 2 * DAY, NOW + 2 * DAY])
  })

  test('no clock is moved if one of them cannot', async () => {
    await addMerchant(NOW + DAY)
    await subscribe(twin)
    await subscribe(otherTwin)
    const body = { all: true, to: NOW + DAY }
    expectRefusal(await operator('POST', 'clock/advance', body), invalid('to'))
    expect(await clocks()).toEqual([NOW, NOW + DAY])
  })

  test('no clock is moved if another advance takes one of them beyond the target', async () => {
    await addMerchant()
    const [own, all] = await Promise.all([
      operator('POST', 'clock/advance', { merchant: other.id, by: '2d' }),
      operator('POST', 'clock/advance', { all: true, to: NOW + DAY }),
    ])
    expect(own.status).toBe(200)
    expectRefusal(all, invalid('to'))
    expect(await clocks()).toEqual([NOW, NOW + 2 * DAY])
  })

  test('an advance of all clocks skips a merchant that is deleted while it waits', async () => {
    await addMerchant()
    await subscribe(otherTwin)
    await operator('POST', 'clock/advance', { merchant: other.id, to: '2526-01-01', async: true })
    const all = operator('POST', 'clock/advance', { all: true, to: '2600-01-01' })
    expect((await operator('DELETE', `merchants/${other.id}`)).status).toBe(200)
    const { status, body } = await all
    expect(status).toBe(200)
    expect(body.data).toMatchObject([
      { merchant_id: first, now: Date.parse('2600-01-01') / 1000, summary: { jobs: 0 } },
    ])
  })

  test('all are frozen and unfrozen', async () => {
    await addMerchant()
    const modes = async (verb: string) =>
      (await operator('POST', `clock/${verb}`, { all: true })).body.data.map(({ mode }: Body) => mode)
    expect(await modes('unfreeze')).toEqual(['live', 'live'])
    expect(await modes('freeze')).toEqual(['frozen', 'frozen'])
  })

  test('upcoming jobs are listed in order, of one merchant if given', async () => {
    await addMerchant(NOW - DAY)
    const ours = await subscribe(twin)
    const theirs = await subscribe(otherTwin)
    const upcoming = async (query = '') =>
      (await operator('GET', `upcoming${query}`)).body.data.map(({ subscription }: Body) => subscription)
    expect(await upcoming()).toEqual([ours.id, theirs.id])
    expect(await upcoming('?limit=1')).toEqual([ours.id])
    expect((await operator('GET', 'upcoming?limit=1')).body.has_more).toBe(true)
    expect(await upcoming(`?merchant=${other.id}`)).toEqual([theirs.id])
    expectRefusal(await operator('GET', 'upcoming?merchant=mer_unknown'), unknown('merchant'))
  })
})

describe('an asynchronous advance', () => {
  test('is reported as running, and ends', async () => {
    await subscribe(twin)
    const { status, body } = await operator('POST', 'clock/advance', { by: '1mo', async: true })
    expect(status).toBe(200)
    expect(body.data[0]).toMatchObject({ status: 'advancing', target: 1772272800 })
    // A write waits for the end of the advance.
    const customer = await twin.post('/v1/customers')
    expect(customer.created).toBe(1772272800)
    expect((await operator('GET', 'clock')).body.data[0]).toMatchObject({ status: 'ready', target: null })
  })

  test('is refused for the same reasons as a synchronous one', async () => {
    expectRefusal(await operator('POST', 'clock/advance', { to: NOW, async: true }), invalid('to'))
  })

  test('can be canceled at its current time', async () => {
    await subscribe(twin)
    await operator('POST', 'clock/advance', { to: '2526-01-01', async: true })
    const { status, body } = await operator('POST', 'clock/cancel')
    expect(status).toBe(200)
    expect(body.data[0].object).toBe('clock')
    const { created } = await twin.post('/v1/customers')
    expect(created).toBeLessThan(Date.parse('2526-01-01') / 1000)
    expect((await operator('GET', 'clock')).body.data[0]).toMatchObject({ status: 'ready', target: null })
  })

  test('can be canceled without error if none is running', async () => {
    const { status, body } = await operator('POST', 'clock/cancel')
    expect(status).toBe(200)
    expect(body.data[0]).toMatchObject({ status: 'ready', now: NOW })
  })
})

describe('an advance with an advance_id', () => {
  const FAR = { to: '2526-01-01' }
  const NEAR = Date.parse('2026-06-01') / 1000
  const advance = (id: string, params: Body) =>
    operator('POST', 'clock/advance', { advance_id: id, ...params })
  const begun = async () => {
    while ((await operator('GET', 'clock')).body.data[0].target === null) await new Promise(setImmediate)
  }
  const cancel = (id: string) => operator('POST', 'clock/cancel', { advance_id: id })

  test('is canceled alone while another one runs', async () => {
    await subscribe(twin)
    const running = advance('one', { to: NEAR })
    const waiting = advance('two', FAR)
    await begun()
    const canceled = await cancel('two')
    expect(canceled.status).toBe(200)
    expect(canceled.body.data).toMatchObject([{ object: 'clock', merchant_id: first, target: NEAR }])
    expect((await waiting).body.data[0]).toMatchObject({ status: 'advancing', summary: { jobs: 0 } })
    expect((await running).body.data[0]).toMatchObject({ status: 'ready', now: NEAR })
    expect(await clocks()).toEqual([NEAR])
    expectRefusal(await cancel('two'), unknown('advance_id'))
  })

  test('is canceled alone while another one waits', async () => {
    await subscribe(twin)
    expect((await advance('one', { ...FAR, async: true })).body.data[0]).toMatchObject({
      status: 'advancing',
    })
    const waiting = advance('two', { by: '1d' })
    expect((await cancel('one')).status).toBe(200)
    const { body } = await waiting
    expect(body.data[0]).toMatchObject({ status: 'ready', summary: { jobs: expect.any(Number) } })
    expect(body.data[0].now).toBeGreaterThanOrEqual(NOW + DAY)
    expect(body.data[0].now).toBeLessThan(NEAR)
  })

  test('is canceled for all merchants', async () => {
    await addMerchant()
    await subscribe(twin)
    const running = advance('one', { merchant: first, to: NEAR })
    const all = advance('all', { ...FAR, all: true })
    await begun()
    expect((await cancel('all')).body.data).toHaveLength(2)
    expect((await all).body.data).toMatchObject([{ target: NEAR }, { now: NOW, status: 'ready' }])
    await running
    expect(await clocks()).toEqual([NEAR, NOW])
  })

  test('is canceled while it waits behind a snapshot', async () => {
    await addMerchant()
    await subscribe(twin)
    const running = advance('one', { merchant: first, to: NEAR })
    const snapshot = operator('POST', 'snapshots', { name: 'before' })
    const waiting = advance('two', { merchant: first, ...FAR })
    await begun()
    await cancel('two')
    expect((await waiting).body.data[0].summary).toMatchObject({ jobs: 0 })
    expect([(await running).status, (await snapshot).status]).toEqual([200, 201])
    expect(await clocks()).toEqual([NEAR, NOW])
  })

  test('has an id that no other advance can use until it ends, and a cancellation by id takes no merchant', async () => {
    await advance('one', { ...FAR, async: true })
    expectRefusal(await advance('one', { by: '1d' }), invalid('advance_id'))
    const both = await operator('POST', 'clock/cancel', { advance_id: 'one', merchant: first })
    expectRefusal(both, invalid('advance_id'))
    await twin.post('/v1/customers')
    expect((await advance('one', { by: '1d' })).status).toBe(200)
    expectRefusal(await advance('one', { to: NOW }), invalid('to'))
    expect((await advance('one', { by: '1d' })).status).toBe(200)
  })
})

describe('a list of upcoming jobs that lets other requests run', () => {
  beforeEach(async () => {
    await addMerchant()
    for (const [client, id] of [
      [twin, first],
      [otherTwin, other.id],
    ] as const) {
      await operator('POST', `merchants/${id}`, { notices: { invoice_upcoming: 7 } })
      for (let n = 0; n < 10; n += 1) await subscribe(client)
    }
    // Each look at the time takes a second, so that each step is in a turn of its own.
    let seconds = 0
    vi.spyOn(process, 'hrtime').mockImplementation(() => {
      seconds += 1
      return [seconds, 0]
    })
  })
  afterEach(() => vi.restoreAllMocks())

  /** Lists the jobs while another request runs. */
  async function listDuring(path: string, method: string, change: string) {
    const listed = operator('GET', path)
    expect((await operator(method, change)).status).toBeLessThan(300)
    return listed
  }

  test('goes on when one of several merchants is deleted', async () => {
    const { status, body } = await listDuring('upcoming', 'DELETE', `merchants/${other.id}`)
    expect(status).toBe(200)
    expect(body.data.map(({ merchant_id }: Body) => merchant_id)).toContain(first)
  })

  test('is refused when its only merchant is deleted', async () => {
    const path = `upcoming?merchant=${other.id}`
    expectRefusal(await listDuring(path, 'DELETE', `merchants/${other.id}`), unknown('merchant'))
  })

  test('starts over when the state is replaced', async () => {
    const { status, body } = await listDuring('upcoming', 'POST', 'reset')
    expect([status, body.data]).toEqual([200, []])
  })
})
