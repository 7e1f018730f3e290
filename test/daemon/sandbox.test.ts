import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/daemon/sandbox.ts'
import { warnOfShortKeys } from '../../src/daemon/short-keys.ts'
import { createdCounts } from '../../src/engine/resources/created-counts.ts'
import { createStoredFixtures } from '../../src/engine/resources/fixtures.ts'
import { addMerchant } from '../../src/engine/resources/merchant.ts'
import { clientOf, startTwin } from '../twin.ts'

const NOW = 1_769_853_600
const KEY = `sk_test_${'a'.repeat(30)}`
const CUSTOMERS = [{ ref: 'ada', name: 'Ada' }]
const SHOP = {
  customers: CUSTOMERS,
  merchants: [{ ref: 'shop', clock: NOW, keys: [{ secret: KEY }], customers: CUSTOMERS }],
}
/** Its last object is refused by a rule. */
const BAD = { ...SHOP, payment_methods: [{ type: 'card', card: { number: '4111111111111111' } }] }

const given = (content: unknown): Pick<SandboxOptions, 'fixtures'> => ({
  fixtures: () => [{ name: 'shop.json', content }],
})

let folder: string
let open: Sandbox[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
})
afterEach(async () => {
  for (const sandbox of open) await sandbox.close()
  open = []
  rmSync(folder, { recursive: true })
})

/** Opens the one database of a test. */
async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await openSandbox({
    database: join(folder, 'paytwin.db'),
    clock: NOW,
    seed: '1',
    ...options,
  })
  open.push(sandbox)
  return sandbox
}
async function stop(): Promise<void> {
  await open.pop()?.close()
}
const stored = ({ engine }: Sandbox): string => engine.store.directory.setting('fixtures') ?? ''

describe('fixtures of a start', () => {
  test('are loaded when the database is new, and list the created objects', async () => {
    const sandbox = await start(given(SHOP))
    expect(sandbox.loaded?.map(({ object, ref }) => [object, ref])).toEqual([
      ['customer', 'ada'],
      ['merchant', 'shop'],
      ['key', null],
      ['customer', 'ada'],
    ])
    const shop = clientOf(sandbox, KEY)
    expect((await shop.get('/v1/customers')).data).toMatchObject([{ name: 'Ada', created: NOW }])
    expect(sandbox.merchant.settings.name).toBe('Default merchant')
  })

  test('are not read if the database is not new', async () => {
    await start(given(SHOP))
    await stop()
    const fixtures = () => {
      throw new Error('these fixtures were asked for')
    }
    const sandbox = await start({ fixtures })
    expect(sandbox.loaded).toBeNull()
    expect((await clientOf(sandbox, KEY).get('/v1/customers')).data).toHaveLength(1)
  })

  test('that are invalid leave the database new, so corrected ones give the usual result', async () => {
    await expect(start(given(BAD))).rejects.toMatchObject({ param: 'payment_methods[0].card.number' })
    await expect(start(given({ custmers: [] }))).rejects.toMatchObject({ code: 'parameter_unknown' })
    await expect(start({ secretKey: 'sk_live_short' })).rejects.toMatchObject({ param: 'secret' })
    const sandbox = await start({ ...given(SHOP), seed: '2' })
    const fresh = await openSandbox({ database: ':memory:', clock: NOW, seed: '2', ...given(SHOP) })
    expect(sandbox.loaded).toEqual(fresh.loaded)
    expect(sandbox.secretKey).not.toBeNull()
    await fresh.close()
  })

  test('cannot have the key of the default merchant', async () => {
    await expect(start({ ...given(SHOP), secretKey: KEY })).rejects.toMatchObject({
      param: 'merchants[0].keys[0]',
    })
  })

  test('are stored without their keys', async () => {
    const sandbox = await start(given(SHOP))
    expect(stored(sandbox)).toContain('sk_test_…aaaa')
    expect(stored(sandbox)).not.toContain(KEY)
  })

  test('are stored as none if there are none', async () => {
    expect(JSON.parse(String(stored(await start())))).toEqual({ merchants: [], apps: [] })
  })
})

describe('a short key', () => {
  test('is warned of once, at each start or when it is issued', async () => {
    const warnings: string[] = []
    const watch = warnOfShortKeys({ warn: (text) => void warnings.push(text) })
    const hints = () => warnings.splice(0).map((text) => /\((\S+)\) is short/.exec(text)?.[1])
    const sandbox = await start({ secretKey: 'sk_test_123' })
    sandbox.keys.watchShort(watch)
    expect(hints()).toEqual(['sk_test_…'])
    const { ordinal: merchant } = sandbox.merchant.settings
    const issue = (secret: string) => sandbox.keys.issue({ merchant, type: 'secret', name: null, secret })
    await issue(KEY)
    const { key } = await issue(`rk_test_${'x'.repeat(23)}`)
    expect(hints()).toEqual(['rk_test_…'])
    sandbox.keys.reload()
    expect(hints()).toEqual([])
    await sandbox.keys.revoke(key.id)
    sandbox.keys.watchShort(warnOfShortKeys({ warn: (text) => void warnings.push(text) }))
    expect(hints()).toEqual(['sk_test_…'])
  })
})

describe('stored fixtures', () => {
  test('are created again, with the same names and for the current default merchant', async () => {
    await start(given({ customers: CUSTOMERS }))
    await stop()
    const sandbox = await start()
    const { engine, keys, merchant } = sandbox
    const made = await engine.commandAll([merchant], (unitOf) =>
      createStoredFixtures({ engine, keys, unitOf, merchant }),
    )
    expect(made).toMatchObject([{ object: 'customer', ref: 'ada', merchant_id: merchant.settings.id }])
    expect(createdCounts(engine)).toMatchObject({ customers: 2 })
  })

  test('create a merchant again, and keep its key, also if it is revoked', async () => {
    const { loaded, keys } = await start(given({ merchants: [{ ref: 'shop', keys: [{ secret: KEY }] }] }))
    const key = keys.list().find(({ hint }) => hint.endsWith('aaaa'))
    await keys.revoke(key?.id ?? '')
    await stop()
    // As a reset leaves it: the merchants are counted from the start, and keys outlive them.
    const database = new Sqlite(join(folder, 'paytwin.db'))
    database.exec(`
      delete from merchant where ordinal > 1;
      delete from clock where merchant > 1;
      delete from counter where merchant > 1;
      update counter set value = 1 where prefix in ('merchant', 'mer')`)
    database.close()
    const again = await start()
    const { engine, merchant } = again
    const made = await engine.commandAll([merchant], (unitOf) =>
      createStoredFixtures({ engine, keys: again.keys, unitOf, merchant, onSkipped: () => undefined }),
    )
    expect(made).toEqual(loaded?.filter(({ object }) => object === 'merchant'))
    expect((await clientOf(again, KEY).request('GET', '/v1/customers')).status).toBe(401)
  })
})

describe('a command of several merchants', () => {
  test('creates a merchant completely or not at all', async () => {
    const twin = await startTwin()
    const { engine } = twin.sandbox
    const before = [...engine.merchants.keys()]
    const failing = engine.commandAll([], () => {
      const { settings } = addMerchant(engine, { name: 'Late', clock: NOW })
      expect(engine.merchants.has(settings.ordinal)).toBe(true)
      throw new Error('too late')
    })
    await expect(failing).rejects.toThrow('too late')
    expect([...engine.merchants.keys()]).toEqual(before)
    await twin.close()
  })
})
