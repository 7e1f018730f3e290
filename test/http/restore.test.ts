import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { EVERYWHERE, PLACES } from '../places.ts'
import { at, bytesOf, historyOf, openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, clientOf, type Twin } from '../twin.ts'
import { anotherMerchant, asOperator, expectUnauthenticated, openStream, type Stream } from './support.ts'

const operate = (twin: Twin, path: string, body?: Body) => asOperator(twin)('POST', path, body)
const save = (twin: Twin, name = 'state') => operate(twin, 'snapshots', { name })
const restore = (twin: Twin, name = 'state') => operate(twin, `snapshots/${name}/restore`)
const customer = (twin: Twin, name: string) => twin.post('/v1/customers', { name })
const names = (taken: Awaited<ReturnType<Stream['take']>>) => taken.map(({ data }) => data.data.object.name)

describe.each(EVERYWHERE)('%s a live stream', (place) => {
  const open = () => openTwin({ database: PLACES[place]() })
  const operators = (twin: Twin) => ({
    Authorization: `Bearer ${twin.sandbox.adminToken}`,
    Host: 'localhost',
  })

  test('reports a restore, and then events without repeats or loss', async () => {
    const twin = await open()
    await customer(twin, 'kept')
    const { id: kept } = (await twin.get('/v1/events')).data[0]
    await save(twin)
    const streams = [
      await openStream(twin),
      await openStream(twin, '/_paytwin/events', operators(twin)),
      await openStream(twin, '/v1/events?type=customer.*'),
    ]
    for (const name of ['gone 1', 'gone 2', 'gone 3']) await customer(twin, name)
    for (const stream of streams) expect(names(await stream.take(3))).toEqual(['gone 1', 'gone 2', 'gone 3'])
    await restore(twin)
    for (const name of ['new 1', 'new 2']) await customer(twin, name)
    for (const stream of streams) {
      const [reset, ...events] = await stream.take(3)
      expect(reset).toEqual({
        event: 'reset',
        id: kept,
        data: { object: 'reset', livemode: false, state: expect.any(String) },
      })
      expect(names(events)).toEqual(['new 1', 'new 2'])
      await stream.close()
    }
  })

  test('reports a reset, without a newest event', async () => {
    const twin = await open()
    const stream = await openStream(twin)
    await customer(twin, 'gone')
    await operate(twin, 'reset')
    await customer(twin, 'new')
    const [gone, reset, fresh] = await stream.take(3)
    expect([gone?.event, reset?.event, fresh?.event]).toEqual([
      'customer.created',
      'reset',
      'customer.created',
    ])
    // An empty id, so that a reconnecting reader does not resume after a removed event.
    expect(reset?.id).toBe('')
    expect(fresh?.data.data.object.name).toBe('new')
    await stream.close()
  })

  test('of a reader that reconnects after a reset reports it, although the same ids have come again', async () => {
    const twin = await open()
    const merchant = twin.sandbox.merchant.settings.id
    const paths = ['/v1/events', '/_paytwin/events', `/_paytwin/events?merchant=${merchant}`]
    const headersOf = (path: string) => (path.startsWith('/v1') ? {} : operators(twin))
    await customer(twin, 'gone 1')
    await customer(twin, 'gone 2')
    const { id: last } = (await twin.get('/v1/events')).data[0]
    const states = new Map<string, string>()
    for (const path of paths) {
      const stream = await openStream(twin, path, headersOf(path))
      states.set(path, stream.response.headers.get('paytwin-state') ?? '')
      await stream.close()
    }
    const reconnect = (path: string) =>
      openStream(twin, path, {
        ...headersOf(path),
        'Last-Event-ID': last,
        'Paytwin-State': states.get(path) ?? '',
      })
    await customer(twin, 'gone 3')
    for (const path of paths) {
      const stream = await reconnect(path)
      expect(names(await stream.take(1))).toEqual(['gone 3'])
      await stream.close()
    }
    await operate(twin, 'reset')
    for (const name of ['new 1', 'new 2', 'new 3']) await customer(twin, name)
    expect((await twin.get('/v1/events')).data.some(({ id }: Body) => id === last)).toBe(true)
    for (const path of paths) {
      const stream = await reconnect(path)
      const [reset, ...events] = await stream.take(4)
      const state = stream.response.headers.get('paytwin-state')
      expect(state).not.toBe(states.get(path))
      expect(reset).toEqual({ event: 'reset', id: '', data: { object: 'reset', livemode: false, state } })
      expect(names(events)).toEqual(['new 1', 'new 2', 'new 3'])
      await stream.close()
    }
  })

  test('of a reader that reconnects after a restore continues with the events since', async () => {
    const twin = await open()
    await customer(twin, 'kept')
    const { id: kept } = (await twin.get('/v1/events')).data[0]
    await save(twin)
    await customer(twin, 'gone')
    const { id: last } = (await twin.get('/v1/events')).data[0]
    const stream = await openStream(twin)
    const state = stream.response.headers.get('paytwin-state') ?? ''
    await stream.close()
    await restore(twin)
    await customer(twin, 'new')
    const next = await openStream(twin, '/v1/events', { 'Last-Event-ID': last, 'Paytwin-State': state })
    const [reset, ...events] = await next.take(2)
    expect([reset?.event, reset?.id]).toEqual(['reset', kept])
    expect(names(events)).toEqual(['new'])
    await next.close()
  })

  test('of a reader that reconnects misses no event whose place a deleted merchant had', async () => {
    const twin = await open()
    const { merchant, secretKey } = await anotherMerchant(twin)
    const asOther = { Authorization: `Bearer ${secretKey}` }
    for (const name of ['other 1', 'other 2']) await twin.request('POST', '/v1/customers', { name }, asOther)
    await save(twin)
    await restore(twin)
    await asOperator(twin)('DELETE', `merchants/${merchant.id}`)
    for (const name of ['new 1', 'new 2', 'new 3']) await customer(twin, name)
    for (const path of ['/v1/events', '/_paytwin/events']) {
      const headers = path.startsWith('/v1') ? {} : operators(twin)
      const stream = await openStream(twin, path, { ...headers, 'Paytwin-State': 'another' })
      expect((await stream.take(2)).map(({ data }) => data.data?.object.name)).toEqual([undefined, 'new 1'])
      await stream.close()
    }
  })

  test('of a slow reader sends the buffered events, then the reset, and no other earlier event', async () => {
    const twin = await open()
    await save(twin)
    const stream = await openStream(twin)
    for (let n = 0; n < 300; n += 1) await customer(twin, `gone ${n}`)
    await restore(twin)
    await customer(twin, 'new')
    const heard: string[] = []
    while (heard.at(-1) !== 'new') {
      const [message] = await stream.take(1)
      heard.push(message?.event === 'reset' ? 'reset' : message?.data.data.object.name)
    }
    const before = heard.slice(0, heard.indexOf('reset'))
    expect(before).toEqual(before.map((_, n) => `gone ${n}`))
    expect(before.length).toBeLessThan(300)
    expect(heard.slice(before.length)).toEqual(['reset', 'new'])
    await stream.close()
  })

  test('ends when its merchant is not there any more', async () => {
    const twin = await open()
    await save(twin)
    const { secretKey, merchant } = await anotherMerchant(twin)
    const streams = [
      await openStream(twin, '/v1/events', { Authorization: `Bearer ${secretKey}` }),
      await openStream(twin, `/_paytwin/events?merchant=${merchant.id}`, operators(twin)),
    ]
    await restore(twin)
    for (const stream of streams) await expect(stream.take(1)).rejects.toThrow('ended')
  })

  test('resumes after an event of the restored state, but not after a removed one', async () => {
    const twin = await open()
    await customer(twin, 'kept')
    const { id: kept } = (await twin.get('/v1/events')).data[0]
    await save(twin)
    await twin.post('/v1/products', { name: 'gone' })
    const { id: gone } = (await twin.get('/v1/events')).data[0]
    await restore(twin)
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': gone }
    expect((await twin.request('GET', '/v1/events', undefined, headers)).status).toBe(404)
    const stream = await openStream(twin, '/v1/events', { 'Last-Event-ID': kept })
    await customer(twin, 'new')
    expect(names(await stream.take(1))).toEqual(['new'])
    await stream.close()
  })
})

describe.each(EVERYWHERE)('%s requests that come with a restore', (place) => {
  const open = () => openTwin({ database: PLACES[place]() })

  test('are each before it or after it, and none is lost', async () => {
    const twin = await open()
    await customer(twin, 'kept')
    await save(twin)
    for (let round = 0; round < 5; round += 1) {
      const requests: Promise<Body>[] = []
      let restored: Promise<unknown> = Promise.resolve()
      for (let n = 0; n < 40; n += 1) {
        requests.push(customer(twin, `${n}`))
        if (n === 20) restored = restore(twin)
        if (n % 7 === 0) await turn()
      }
      const made = await Promise.all(requests)
      expect(await restored).toMatchObject({ status: 200 })
      const there = (await twin.get('/v1/customers?limit=100')).data.filter(
        ({ name }: Body) => name !== 'kept',
      )
      // Existing customers were created after the restore, with ids as if nothing else had been; others were answered before it.
      const after = there.map(({ name }: Body) => made[Number(name)])
      expect(there).toEqual(after)
      expect(there.length).toBeGreaterThan(0)
      expect(there.length).toBeLessThan(41)
      const events = (await twin.events()).map(({ data }) => data.object.name)
      expect(events).toEqual(['kept', ...there.map(({ name }: Body) => name).reverse()])
      await restore(twin)
    }
  })

  test('with an idempotency key make one object in the state that follows', async () => {
    const twin = await open()
    const make = () => twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'k' })
    await save(twin, 'without')
    const { body: made } = await make()
    await save(twin, 'with')
    await restore(twin, 'without')
    // The request has found no response for its idempotency key yet, when a state with the response is restored.
    const restored = restore(twin, 'with')
    const responses = await Promise.all(Array.from({ length: 5 }, make))
    await restored
    expect((await twin.get('/v1/customers')).data).toEqual([made])
    for (const { body } of responses) expect(body).toEqual(made)
  })

  test('of a removed merchant are refused like its key, whatever they had read before', async () => {
    const twin = await open()
    await save(twin)
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const restored = restore(twin)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => other.request('POST', '/v1/customers')),
    )
    await restored
    for (const response of responses) if (response.status !== 201) expectUnauthenticated(response)
    expect(twin.sandbox.engine.store.journal.head(2)).toBe(0)
    expectUnauthenticated(await other.request('GET', '/v1/customers'))
  })

  test('of the operator act on the new state, or find nothing to act on', async () => {
    const twin = await open()
    const { merchant } = await anotherMerchant(twin)
    await save(twin, 'with')
    await operate(twin, 'reset')
    const restored = restore(twin, 'with')
    const [key, frozen, gone] = await Promise.all([
      operate(twin, 'keys', { merchant: twin.sandbox.merchant.settings.id }),
      operate(twin, 'clock/unfreeze', { all: true }),
      operate(twin, `merchants/${merchant.id}`, { name: 'New' }),
    ])
    await restored
    expect([key.status, frozen.status]).toEqual([201, 200])
    expect([200, 404]).toContain(gone.status)
    expect((await clientOf(twin.sandbox, key.body.secret).request('GET', '/v1/events')).status).toBe(200)
  })

  test('to advance the clock move it before or after', async () => {
    const twin = await open()
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    await save(twin)
    const before = bytesOf(await historyOf(twin))
    const first = twin.advance({ by: '90d' })
    while (twin.sandbox.merchant.held.size === 0) await turn()
    const restored = restore(twin)
    const second = twin.advance({ by: '1d' })
    expect((await first).now).toBe(at('2026-05-01T10:00:00Z'))
    expect((await first).summary.jobs).toBe(90)
    await restored
    // It arrived after the restore, so it advances the restored clock.
    expect((await second).now).toBe(at('2026-02-01T10:00:00Z'))
    await restore(twin)
    expect(bytesOf(await historyOf(twin))).toEqual(before)
  })

  test('an advance that ended before is answered, but not replayed for its idempotency key', async () => {
    const twin = await open()
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    await save(twin)
    const key = { 'Idempotency-Key': 'year' }
    const advance = () => twin.request('POST', '/v1/test_helpers/clock/advance', { by: '1y' }, key)
    const first = advance()
    while (twin.sandbox.merchant.held.size === 0) await turn()
    const restored = restore(twin)
    expect((await first).body.now).toBe(at('2027-01-31T10:00:00Z'))
    await restored
    const again = await advance()
    expect(again.headers.get('Idempotent-Replayed')).toBeNull()
    expect(again.body).toEqual((await first).body)
    expect((await advance()).headers.get('Idempotent-Replayed')).toBe('true')
  })

  test('to advance the clock, already answered in the restored state, move it only once', async () => {
    const twin = await open()
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    await save(twin, 'before')
    const key = { 'Idempotency-Key': 'day' }
    const advance = () => twin.request('POST', '/v1/test_helpers/clock/advance', { by: '1d' }, key)
    const { body: first } = await advance()
    await save(twin, 'after')
    await restore(twin, 'before')
    await twin.advance({ by: '1y', async: true })
    const waiting = advance()
    await turn()
    const restored = restore(twin, 'after')
    const { body, headers } = await waiting
    await restored
    expect(headers.get('Idempotent-Replayed')).toBe('true')
    expect(body).toEqual(first)
    expect((await twin.get('/v1/test_helpers/clock')).now).toBe(first.now)
  })
})
