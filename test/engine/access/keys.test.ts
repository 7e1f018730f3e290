import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { KeyRing } from '../../../src/engine/access/keys.ts'
import { anotherMerchant, asOperator } from '../../http/support.ts'
import { openTwin } from '../../scenarios/story.ts'
import { type Body, clientOf, type Twin } from '../../twin.ts'

let twin: Twin
beforeEach(async () => {
  twin = await openTwin()
})
afterEach(() => twin.close())

const operate = async (method: string, path: string, body?: Body): Promise<Body> => {
  const response = await asOperator(twin)(method, path, body)
  if (response.status >= 300) expect.unreachable(JSON.stringify(response.body))
  return response.body
}

const opens = async (secret: string): Promise<boolean> =>
  (await clientOf(twin.sandbox, secret).request('GET', '/v1/customers')).status === 200

/** Checks that the keys in memory are those of the database. */
async function expectAsStored(): Promise<void> {
  const { keys, engine } = twin.sandbox
  await keys.flush()
  expect(keys.list()).toEqual(new KeyRing(engine, 0).list())
}

test('the keys in memory stay if the database cannot be read', async () => {
  const { secret } = await operate('POST', 'keys', { merchant: twin.sandbox.merchant.settings.id })
  const { keys, engine } = twin.sandbox
  vi.spyOn(engine.store.directory, 'keys').mockImplementationOnce(() => {
    throw new Error('disk I/O error')
  })
  expect(() => keys.reload()).toThrow('disk I/O error')
  expect(await opens(secret)).toBe(true)
})

describe('without reading all keys again,', () => {
  const reads = () => vi.spyOn(twin.sandbox.engine.store.directory, 'keys')

  test('the keys of a deleted merchant are forgotten, except for the revoked ones', async () => {
    const [{ merchant, secretKey }, other] = [await anotherMerchant(twin), await anotherMerchant(twin)]
    const revoked = await operate('POST', 'keys', { merchant: merchant.id })
    await operate('POST', `keys/${revoked.id}/revoke`)
    const later = await operate('POST', 'keys', { merchant: twin.sandbox.merchant.settings.id })
    const read = reads()
    await operate('DELETE', `merchants/${merchant.id}`)
    const { data } = await operate('GET', 'keys?limit=2')
    expect(data).toMatchObject([{ id: later.id }, { id: revoked.id }])
    expect(await Promise.all([secretKey, other.secretKey, later.secret].map(opens))).toEqual([
      false,
      true,
      true,
    ])
    expect(read).not.toHaveBeenCalled()
    await expectAsStored()
  })

  test('a restore leaves the keys as they are', async () => {
    await operate('POST', 'snapshots', { name: 'before' })
    const [kept, revoked] = [await operate('POST', 'keys', {}), await operate('POST', 'keys', {})]
    const { secretKey } = await anotherMerchant(twin)
    await operate('POST', `keys/${revoked.id}/revoke`)
    const read = reads()
    await operate('POST', 'snapshots/before/restore')
    expect(await Promise.all([kept.secret, revoked.secret, secretKey].map(opens))).toEqual([
      true,
      false,
      false,
    ])
    expect(read).not.toHaveBeenCalled()
    await expectAsStored()
  })

  test('the keys of fixtures work once they are loaded', async () => {
    const secret_key = `sk_test_${'f'.repeat(24)}`
    const read = reads()
    const content = { merchants: [{ name: 'Loaded', keys: [{ secret: secret_key }] }] }
    await operate('POST', 'fixtures', { files: [{ name: 'keys.json', content }] })
    expect(await opens(secret_key)).toBe(true)
    expect(read).not.toHaveBeenCalled()
    await expectAsStored()
  })
})
