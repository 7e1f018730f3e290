import { copyFileSync, existsSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import { PLACES } from '../places.ts'
import { type Body, clientOf, startTwin, type Twin } from '../twin.ts'
import { ask, codeFor, exchange, expectOAuthRefusal, invalidGrant, letIn, makeApp } from './oauth/support.ts'
import { asOperator, badState, expectUnauthenticated, openStream } from './support.ts'

const START = Date.UTC(2026, 5, 1)
const HOUR = 3_600_000

let twin: Twin
let wall: number
/** The stopwatch. */
let passed = 0
afterEach(() => twin.close())

async function start(options: Partial<SandboxOptions> = {}): Promise<void> {
  wall = START
  passed = 0
  twin = await startTwin({ wall: () => wall, stopwatch: () => passed, ...options })
}

/** Sets the wall clock, and lets the next tick detect it. */
async function setWall(time: number): Promise<void> {
  wall = time
  await twin.sandbox.engine.runAllDueJobs()
}

/** Lets time pass, on the wall clock and on the stopwatch. */
async function pass(ms: number): Promise<void> {
  passed += ms
  await setWall(wall + ms)
}

const operate = async (method: string, path: string, body?: Body): Promise<Body> =>
  (await asOperator(twin)(method, path, body)).body

/** Creates a client with a key that is revoked at the start. */
async function revokedKey(): Promise<Twin> {
  const { id, secret } = await operate('POST', 'keys', {})
  await operate('POST', `keys/${id}/revoke`)
  return clientOf(twin.sandbox, secret)
}

const read = (client: Twin) => client.request('GET', '/v1/customers')
const write = (client: Twin) => client.request('POST', '/v1/customers', {})

describe('when the wall clock is set back', () => {
  test.each([1_000, HOUR, 365 * 24 * HOUR])('by %i ms, a revoked key stays revoked', async (step) => {
    await start()
    const client = await revokedKey()
    expectUnauthenticated(await read(client))
    wall -= step
    expectUnauthenticated(await read(client))
    expectUnauthenticated(await write(client))
  })

  test('to before its revocation, a key that is still cached is so no longer', async () => {
    await start({ keyCacheSeconds: 60 })
    const client = await revokedKey()
    expect((await read(client)).status).toBe(200)
    wall -= 1_000
    expectUnauthenticated(await read(client))
    wall += 1_000
    expectUnauthenticated(await write(client))
  })

  test('to within the seconds for which it was cached, a key does not work again', async () => {
    await start({ keyCacheSeconds: 60 })
    const [used, unused] = [await revokedKey(), await revokedKey()]
    await setWall(START + 60_000)
    expectUnauthenticated(await read(used))
    await setWall(START + 30_000)
    expectUnauthenticated(await read(used))
    expectUnauthenticated(await write(unused))
  })

  test('while a key is cached, it works for its seconds and no longer', async () => {
    await start({ keyCacheSeconds: 60 })
    const client = await revokedKey()
    await pass(50_000)
    await setWall(START + 10_000)
    await pass(9_000)
    expect((await read(client)).status).toBe(200)
    await pass(1_000)
    expectUnauthenticated(await read(client))
  })

  test('an authorization that has expired stays so', async () => {
    await start()
    const { id } = await ask(twin, await makeApp(twin))
    await setWall(START + 600_000)
    await setWall(START + 1_000)
    expectOAuthRefusal(await twin.request('POST', `/v1/oauth/authorizations/${id}/approve`), badState())
    expect((await operate('GET', 'authorizations')).data).toMatchObject([{ id, status: 'expired' }])
    const { id: later } = await ask(twin, await makeApp(twin))
    expect((await twin.post(`/v1/oauth/authorizations/${later}/approve`)).status).toBe('approved')
  })

  test('an expired idempotency key stays expired', async () => {
    await start()
    const send = (name: string) =>
      twin.request('POST', '/v1/customers', { name }, { 'Idempotency-Key': 'once' })
    await send('Ada')
    await setWall(START + 25 * HOUR)
    await setWall(START + HOUR)
    expect((await send('Grace')).body).toMatchObject({ name: 'Grace' })
  })

  test('the second that a rate limit counts does not begin again', async () => {
    await start({ rateLimit: 2 })
    for (const step of [0, -HOUR]) {
      wall += step
      expect((await read(twin)).status).toBe(200)
    }
    wall -= HOUR
    expect((await read(twin)).status).toBe(429)
    await pass(1_000)
    expect((await read(twin)).status).toBe(200)
  })

  test('the uptime continues', async () => {
    await start()
    await pass(5_000)
    await setWall(START - HOUR)
    expect((await operate('GET', 'status')).uptime).toBe(5)
  })

  test('an idempotency key lives for 24 hours of the time that passes, however often the wall clock is set back and forward', async () => {
    await start()
    const send = async () =>
      (await twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'once' })).body.id
    const first = await send()
    for (let round = 0; round < 24; round += 1) {
      await setWall(wall - HOUR)
      await setWall(wall + HOUR)
    }
    expect(await send()).toBe(first)
    await setWall(START - 25 * HOUR)
    await pass(24 * HOUR)
    expect(await send()).toBe(first)
    await pass(1_000)
    expect(await send()).not.toBe(first)
  })
})

describe('when the wall clock is set back before a restart', () => {
  const options = (): SandboxOptions => ({
    database: PLACES['on disk'](),
    secretKey: `sk_test_${'x'.repeat(24)}`,
    clock: 'live',
  })

  /** When it is recorded that something has expired. */
  const RECORDED = [
    'at the end',
    'by the housekeeping before a crash',
    'by a refusal before a crash',
  ] as const
  type Recorded = (typeof RECORDED)[number]

  /** Starts again with the wall clock at START: from the files as a crash leaves them, or as the end does. */
  async function restart({ database, ...rest }: SandboxOptions, when: Recorded): Promise<void> {
    if (when === 'at the end') await twin.close()
    else if (when === 'by the housekeeping before a crash') await twin.sandbox.doHousekeeping()
    // A refusal is written with the next commands.
    else await twin.sandbox.engine.operatorCommand(() => undefined)
    const copy = PLACES['on disk']()
    for (const file of ['', '-wal'])
      if (existsSync(`${database}${file}`)) copyFileSync(`${database}${file}`, `${copy}${file}`)
    await twin.close()
    await start({ ...rest, database: copy })
  }

  describe.each(RECORDED)('what has expired, recorded %s, stays so:', (when) => {
    test('an authorization, and an idempotency key', async () => {
      const given = options()
      await start(given)
      const { id } = await ask(twin, await makeApp(twin))
      const send = (name: string) =>
        twin.request('POST', '/v1/customers', { name }, { 'Idempotency-Key': 'once' })
      const approve = () => twin.request('POST', `/v1/oauth/authorizations/${id}/approve`)
      await send('Ada')
      await setWall(START + 25 * HOUR)
      if (when === 'by a refusal before a crash') {
        expectOAuthRefusal(await approve(), badState())
        expect((await send('Grace')).body).toMatchObject({ name: 'Grace' })
      }
      await restart(given, when)
      expectOAuthRefusal(await approve(), badState())
      expect((await send('Grace')).body).toMatchObject({ name: 'Grace' })
    })

    test('an access token, and a code: a live clock does not go back', async () => {
      const given = options()
      await start(given)
      const app = await makeApp(twin)
      const code = await codeFor(twin, app)
      const { access_token } = await letIn(twin, app)
      const readAs = () => read(clientOf(twin.sandbox, access_token))
      expect((await readAs()).status).toBe(200)
      await setWall(START + HOUR)
      expect((await readAs()).status).toBe(401)
      const shown = (await operate('GET', 'clock')).now
      await restart(given, when)
      expect((await readAs()).status).toBe(401)
      expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
      expect((await operate('GET', 'clock')).now).toBe(shown)
    })
  })

  test('a token whose stream has ended has expired, also after a crash', async () => {
    const given = options()
    await start(given)
    const { access_token } = await letIn(twin, await makeApp(twin))
    const stream = await openStream(clientOf(twin.sandbox, access_token))
    await setWall(START + HOUR)
    // Any commit wakes the streams.
    await operate('POST', 'keys', {})
    await expect(stream.take(1)).rejects.toThrow('the stream ended')
    await restart(given, 'by a refusal before a crash')
    expect((await read(clientOf(twin.sandbox, access_token))).status).toBe(401)
  })

  test('many refusals of what has expired are written once', async () => {
    await start(options())
    await ask(twin, await makeApp(twin))
    const { access_token } = await letIn(twin, await makeApp(twin))
    await setWall(START + HOUR)
    const { engine } = twin.sandbox
    const [commands, ofOperator] = [vi.spyOn(engine, 'command'), vi.spyOn(engine, 'operatorCommand')]
    const refused = clientOf(twin.sandbox, access_token)
    for (let round = 0; round < 20; round += 1)
      await Promise.all([read(refused), operate('GET', 'authorizations'), read(refused)])
    expect(commands).toHaveBeenCalledOnce()
    // A second finds no other request that has expired.
    expect(ofOperator.mock.calls.length).toBeOneOf([1, 2])
  })
})

describe('what was created while the wall clock was ahead', () => {
  const DAY = 24 * HOUR
  /** Sends a request with one key. @returns the id of the object that it created, now or before */
  const send = async () => {
    const { body } = await twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'once' })
    return body.id
  }

  test('lives as long after a restart as what is created then', async () => {
    const options = { database: PLACES['on disk'](), secretKey: `sk_test_${'x'.repeat(24)}` }
    await start(options)
    await setWall(START + 365 * DAY)
    const { id } = await ask(twin, await makeApp(twin))
    const first = await send()
    await twin.close()
    await start(options)
    expect(await send()).toBe(first)
    const statusAt = async (time: number) => {
      await setWall(time)
      return (await operate('GET', 'authorizations')).data[0].status
    }
    expect(await statusAt(START + 599_000)).toBe('pending')
    expect(await statusAt(START + 600_000)).toBe('expired')
    expectOAuthRefusal(await twin.request('POST', `/v1/oauth/authorizations/${id}/approve`), badState())
    await setWall(START + DAY)
    expect(await send()).toBe(first)
    await setWall(START + DAY + 1_000)
    expect(await send()).not.toBe(first)
  })

  test('and is restored from a snapshot lives as long as what is created then', async () => {
    const options = { database: PLACES['on disk'](), secretKey: `sk_test_${'x'.repeat(24)}` }
    await start(options)
    await setWall(START + 365 * DAY)
    const first = await send()
    await operate('POST', 'snapshots', { name: 'ahead' })
    await twin.close()
    await start(options)
    await operate('POST', 'snapshots/ahead/restore')
    await twin.sandbox.doHousekeeping()
    await setWall(START + DAY + 1_000)
    expect(await send()).not.toBe(first)
  })
})

test('a restart ends the seconds for which a revoked key is cached', async () => {
  const options = {
    database: PLACES['on disk'](),
    secretKey: `sk_test_${'x'.repeat(24)}`,
    keyCacheSeconds: 60,
  }
  await start(options)
  const { secretKey } = await revokedKey()
  expect((await read(clientOf(twin.sandbox, secretKey))).status).toBe(200)
  await twin.close()
  await start(options)
  expectUnauthenticated(await read(clientOf(twin.sandbox, secretKey)))
})
