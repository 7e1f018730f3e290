import { expect, test, vi } from 'vitest'
import { authenticateApp } from '../../../src/engine/access/oauth-app.ts'
import { makeApp } from '../../http/oauth/support.ts'
import { openTwin } from '../../scenarios/story.ts'

const compared = vi.hoisted(() => [] as [number, number][])
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  const timingSafeEqual: typeof crypto.timingSafeEqual = (left, right) => {
    compared.push([left.byteLength, right.byteLength])
    return crypto.timingSafeEqual(left, right)
  }
  return { ...crypto, timingSafeEqual }
})

test('a secret is compared once, as a hash and in constant time, for unknown apps and wrong secrets too', async () => {
  const twin = await openTwin()
  const { client_id, client_secret } = await makeApp(twin)
  const guesses = [
    [client_id, client_secret],
    [client_id, `${client_secret.slice(0, -1)}~`],
    [client_id, 'x'],
    [client_id, ''],
    [client_id, 'x'.repeat(10_000)],
    ['app_unknown', client_secret],
    ['', ''],
  ] as const
  // The operator's token was also compared.
  compared.length = 0
  const found = guesses.map(([id, secret]) => authenticateApp(twin.sandbox.engine, id, secret)?.id)
  expect(found).toEqual([client_id, ...Array(6).fill(undefined)])
  expect(compared).toEqual(guesses.map(() => [32, 32]))
})
