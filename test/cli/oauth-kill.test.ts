import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../src/daemon/sandbox.ts'
import { tokensOf } from '../http/oauth/support.ts'
import { api, ask, type RunningDaemon, startDaemon, temporaryFolder } from './executable.ts'

const REDIRECT_URI = 'http://127.0.0.1:8080/callback'
const PAYTWIN_SECRET_KEY = 'sk_test_killedwhilelettingappsin1'
const CODES = 40

type App = { client_id: string; client_secret: string }
type TokenResponse = { status: number; body: Record<string, string> }

/** The response to an app that sends a code or a refresh token. */
async function token(
  { url }: { url: string },
  app: App,
  form: Record<string, string>,
): Promise<TokenResponse> {
  const response = await fetch(`${url}/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${app.client_id}:${app.client_secret}`)}` },
    body: new URLSearchParams(form),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

const withCode = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI })
const withToken = (refresh_token = '') => ({ grant_type: 'refresh_token', refresh_token })

const opens = async ({ url }: { url: string }, access_token: string | undefined): Promise<boolean> =>
  (await fetch(`${url}/v1/customers`, { headers: { authorization: `Bearer ${access_token}` } })).status ===
  200

/** A data folder, and daemons that are started on it with the same options. */
function daemonsOn(): { path: string; start: () => Promise<RunningDaemon> } {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  const start = async () => {
    const daemon = await startDaemon(['--data', folder.path], { env: { PAYTWIN_SECRET_KEY } })
    return { ...daemon, secret_key: PAYTWIN_SECRET_KEY, env: { PAYTWIN_DATA: folder.path } }
  }
  return { path: folder.path, start }
}

async function codeFor(daemon: RunningDaemon, { client_id }: App): Promise<string> {
  const asked = await api(daemon, '/v1/oauth/authorizations', { client_id, redirect_uri: REDIRECT_URI })
  const approve = `/v1/oauth/authorizations/${asked.id}/approve`
  const { redirect_to } = await api<{ redirect_to: string }>(daemon, approve, {})
  return new URL(redirect_to).searchParams.get('code') ?? ''
}

test('after a kill, acknowledged grants exist, and no code or token works twice', async () => {
  const { start } = daemonsOn()
  let daemon = await start()
  const app = await ask(daemon, REDIRECT_URI)
  const code = await codeFor(daemon, app)
  const { body: first } = await token(daemon, app, withCode(code))
  await daemon.stop('SIGKILL')
  daemon = await start()
  expect(await opens(daemon, first.access_token)).toBe(true)
  const { status, body: second } = await token(daemon, app, withToken(first.refresh_token))
  expect(status).toBe(200)
  await daemon.stop('SIGKILL')
  daemon = await start()
  expect(await opens(daemon, second.access_token)).toBe(true)
  expect((await token(daemon, app, withToken(first.refresh_token))).status).toBe(400)
  await daemon.stop('SIGKILL')
  daemon = await start()
  expect([await opens(daemon, first.access_token), await opens(daemon, second.access_token)]).toEqual([
    false,
    false,
  ])
  expect((await token(daemon, app, withCode(code))).status).toBe(400)
  expect(await daemon.stop()).toBe(0)
})

test('whenever the daemon is killed, a code is redeemed together with its tokens or not at all', async () => {
  const { path, start } = daemonsOn()
  const daemon = await start()
  const app = await ask(daemon, REDIRECT_URI)
  const codes = await Promise.all(Array.from({ length: CODES }, () => codeFor(daemon, app)))
  const { answered, enough } = counted(CODES / 2)
  // Each app exchanges its code, and then keeps refreshing its tokens.
  const running = Promise.allSettled(
    codes.map(async (code) => {
      for (let form: Record<string, string> = withCode(code); ; ) {
        const { body } = await token(daemon, app, form)
        answered(body)
        form = withToken(body.refresh_token)
      }
    }),
  )
  const tokens = await enough
  await daemon.stop('SIGKILL')
  expect((await running).every(({ status }) => status === 'rejected')).toBe(true)

  const { engine, close } = await openSandbox({ database: join(path, 'paytwin.db') })
  const { oauth } = engine.store
  const families = oauth.authorizations({ limit: 1_000 }).filter(({ status }) => status === 'approved')
  expect(families).toHaveLength(CODES)
  for (const { seq, code_status } of families) {
    const family = tokensOf({ engine }, seq)
    const count = (kind: string, status: string) =>
      family.filter((one) => one.kind === kind && one.status === status).length
    expect(['issued', 'redeemed']).toContain(code_status)
    const rounds = family.length / 2
    expect({ access: count('access', 'active'), rotated: count('refresh', 'rotated') }).toEqual({
      access: rounds,
      rotated: code_status === 'issued' ? 0 : rounds - 1,
    })
    expect(count('refresh', 'active')).toBe(code_status === 'issued' ? 0 : 1)
  }
  await close()

  const again = await start()
  for (const { access_token } of tokens) expect(await opens(again, access_token)).toBe(true)
  await again.stop()
})

/** Collects responses, and resolves when there are enough. */
function counted(wanted: number) {
  const all: Record<string, string>[] = []
  let done: (all: Record<string, string>[]) => void = () => undefined
  const enough = new Promise<Record<string, string>[]>((resolve) => {
    done = resolve
  })
  const answered = (body: Record<string, string>) => {
    all.push(body)
    if (all.length >= wanted) done([...all])
  }
  return { answered, enough }
}
