import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTwin, type Twin } from '../../twin.ts'
import { asOperator } from '../support.ts'
import {
  asApp,
  ask,
  codeFor,
  exchange,
  makeApp,
  opens,
  PKCE,
  paramsOf,
  REDIRECT_URI,
  refresh,
  VERIFIER,
} from './support.ts'

/** Returns the content of all files in a folder, as bytes. */
async function bytesIn(folder: string): Promise<Buffer> {
  const names = await readdir(folder)
  return Buffer.concat(await Promise.all(names.map((name) => readFile(join(folder, name)))))
}

/** Returns a page's nonce and its browser's cookie. */
async function sealOf(twin: Twin, client_id: string): Promise<string[]> {
  const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: REDIRECT_URI })
  const page = await twin.sandbox.app.request(`/v1/oauth/authorize?${query}`, {
    headers: { Host: 'localhost' },
  })
  const [, nonce = ''] = /name="nonce" value="(\w+)"/.exec(await page.text()) ?? []
  const [, cookie = ''] = /=(\w+);/.exec(page.headers.get('Set-Cookie') ?? '') ?? []
  return [nonce, cookie]
}

test('codes, tokens, secrets of apps, nonces and cookies are kept as hashes only', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paytwin-oauth-'))
  const twin = await startTwin({ database: join(folder, 'paytwin.db') })
  const app = await makeApp(twin)
  const { body: rotated } = await asOperator(twin)('POST', `apps/${app.id}/rotate_secret`)
  const code = await codeFor(twin, rotated, PKCE)
  const { body: first } = await exchange(twin, rotated, code, { code_verifier: VERIFIER })
  const { body: second } = await refresh(twin, rotated, first.refresh_token)
  const seal = await sealOf(twin, app.client_id)
  const { id } = await ask(twin, rotated)
  const { redirect_to } = await twin.post(`/v1/oauth/authorizations/${id}/approve`)
  const unused = paramsOf(redirect_to).code ?? ''
  await twin.close()

  const secrets = [
    app.client_secret,
    rotated.client_secret,
    code,
    unused,
    VERIFIER,
    ...[first, second].flatMap(({ access_token, refresh_token }) => [access_token, refresh_token]),
    ...seal,
  ]
  const kept = await bytesIn(folder)
  // Checks that the search finds values that are there.
  expect(kept.includes(app.id)).toBe(true)
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(30)
    expect(kept.includes(secret)).toBe(false)
    expect(kept.includes(secret.split('_').at(-1) ?? '')).toBe(false)
  }
  await rm(folder, { recursive: true })
})

test('no list or error contains a secret', async () => {
  const twin = await startTwin()
  const app = await makeApp(twin)
  const code = await codeFor(twin, app)
  const { body: tokens } = await exchange(twin, app, code)
  const operator = asOperator(twin)
  const published = JSON.stringify([
    (await operator('GET', 'apps')).body,
    (await operator('GET', 'authorizations')).body,
    (await exchange(twin, app, code)).body,
    (await refresh(twin, app, tokens.refresh_token)).body,
    (await asApp(twin, app, 'revoke', { token: tokens.access_token })).body,
    (await asApp(twin, { ...app, client_id: 'app_x' }, 'token', {})).body,
  ])
  for (const secret of [app.client_secret, code, tokens.access_token, tokens.refresh_token]) {
    expect(published).not.toContain(secret)
  }
  await twin.close()
})

test('a restart keeps grants, revocations and used codes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paytwin-oauth-'))
  const options = { database: join(folder, 'paytwin.db'), secretKey: `sk_test_${'x'.repeat(24)}` }
  const before = await startTwin(options)
  const app = await makeApp(before)
  const code = await codeFor(before, app)
  const unused = await codeFor(before, app)
  const { body: tokens } = await exchange(before, app, code)
  const { body: revoked } = await exchange(before, app, await codeFor(before, app))
  await asApp(before, app, 'revoke', { token: revoked.refresh_token })
  await before.close()

  const after = await startTwin(options)
  expect([await opens(after, tokens), await opens(after, revoked)]).toEqual([true, false])
  expect((await exchange(after, app, unused)).status).toBe(200)
  expect((await refresh(after, app, tokens.refresh_token)).status).toBe(200)
  expect((await exchange(after, app, code)).body.error.code).toBe('invalid_grant')
  expect(await opens(after, tokens)).toBe(false)
  await after.close()
  await rm(folder, { recursive: true })
})
