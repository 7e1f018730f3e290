import { describe, expect, test } from 'vitest'
import { ESCAPE, type List, withDaemon } from '../command-line.ts'
import { api, ask, paytwin, startDaemon } from '../executable.ts'

const REDIRECT_URI = 'http://127.0.0.1:8080/callback'
type App = { client_id: string; client_secret: string; name: string; redirect_uris: string[] }
type Authorization = { id: string; status: string; merchant_id: string | null }
type Decision = { status: string; redirect_to: string }

/** The response to an app that sends a code or a refresh token. */
async function token(
  { url }: { url: string },
  { client_id, client_secret }: Pick<App, 'client_id' | 'client_secret'>,
  form: Record<string, string>,
): Promise<{ status: number; body: Record<string, string> }> {
  const response = await fetch(`${url}/v1/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams(form),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}
const codeIn = ({ redirect_to }: Decision) => new URL(redirect_to).searchParams.get('code') ?? ''
const grantOf = (code: string) => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: REDIRECT_URI,
})

describe('apps', () => {
  const { json, text, fail } = withDaemon()

  test('are created, listed, given a new secret and deleted', async () => {
    const create = [
      'apps',
      'create',
      '--name',
      'Ledgerly',
      '--redirect-uri',
      REDIRECT_URI,
      'com.ledgerly.app:/done',
    ]
    const made = await json<App>(...create)
    expect(made).toMatchObject({
      object: 'app',
      name: 'Ledgerly',
      redirect_uris: [REDIRECT_URI, 'com.ledgerly.app:/done'],
      client_secret: expect.stringMatching(/^ocs_test_/),
    })
    const listed = await text('apps', 'list')
    expect(listed).toMatch(
      new RegExp(`^${made.client_id}\tLedgerly\t\\S+Z\t${REDIRECT_URI} com\\.ledgerly\\.app:/done\n$`),
    )
    const rotated = await text('apps', 'rotate-secret', made.client_id)
    expect(rotated).toMatch(/^client secret: ocs_test_\w{32}$/m)
    expect(rotated).not.toContain(made.client_secret)
    expect(await text('apps', 'delete', made.client_id)).toBe(`Deleted ${made.client_id}.\n`)
    expect((await json<List<App>>('apps', 'list')).data).toEqual([])
  })

  test('show their secret in full once', async () => {
    const shown = await text('apps', 'create', '--name', 'x', '--redirect-uri', REDIRECT_URI)
    expect(shown).toMatch(
      /^client id: app_\w+\nclient secret: ocs_test_\w{32}\nname: x\nredirect uris: \S+\n$/,
    )
    expect(shown).not.toContain(ESCAPE)
  })

  test('are refused by the daemon, or by the command line if an option is missing', async () => {
    const wrong = await fail('apps', 'create', '--name', 'x', '--redirect-uri', 'http://app.example/')
    expect(wrong).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('http is allowed on the loopback only'),
    })
    expect((await fail('apps', 'create', '--name', 'x')).status).toBe(2)
    expect((await fail('apps', 'create', '--redirect-uri', REDIRECT_URI)).status).toBe(2)
    expect(await fail('apps', 'delete', 'app_unknown')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('(resource_missing)'),
    })
  })
})

describe('an authorization request', () => {
  const { daemon, json, text, fail } = withDaemon()

  test('is listed, approved and denied without a browser', async () => {
    const app = await ask(daemon(), REDIRECT_URI)
    const { client_id } = app
    const denied = await api(daemon(), '/v1/oauth/authorizations', { client_id, redirect_uri: REDIRECT_URI })
    expect(await text('oauth', 'list', '-n', '1')).toMatch(
      new RegExp(
        `^${denied.id}\tpending\t${client_id}\tread_only\t${daemon().merchant}\t\\S+Z\t${REDIRECT_URI}\n$`,
      ),
    )
    const decision = await json<Decision>('oauth', 'approve', app.authorization)
    const { body } = await token(daemon(), app, grantOf(codeIn(decision)))
    const headers = { authorization: `Bearer ${body.access_token}` }
    expect((await fetch(`${daemon().url}/v1/customers`, { headers })).status).toBe(200)

    expect(await text('oauth', 'deny', denied.id)).toBe(
      `id: ${denied.id}\nstatus: denied\nredirect to: ${REDIRECT_URI}?error=access_denied\n`,
    )
    const { data } = await json<List<Authorization>>('oauth', 'list')
    expect(data.map(({ status }) => status)).toEqual(['denied', 'approved'])
    // A second use of a code means that someone else has it.
    expect((await token(daemon(), app, grantOf(codeIn(decision)))).status).toBe(400)
    expect(await text('oauth', 'list')).toContain(`${app.authorization}\trevoked\t`)
  })

  test('is decided once', async () => {
    const { authorization } = await ask(daemon(), REDIRECT_URI)
    await text('oauth', 'approve', authorization)
    expect(await fail('oauth', 'deny', authorization)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('(invalid_state_transition)'),
    })
  })

  test('from the consent page is approved for a named merchant if there are several', async () => {
    const { client_id } = await ask(daemon(), REDIRECT_URI)
    await json('merchants', 'create', '--name', 'Second')
    const query = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: REDIRECT_URI })
    expect((await fetch(`${daemon().url}/v1/oauth/authorize?${query}`)).status).toBe(200)
    const { data } = await json<List<Authorization>>('oauth', 'list', '-n', '1')
    const [asked] = data
    expect(asked).toMatchObject({ status: 'pending', merchant_id: null })
    const unnamed = await fail('oauth', 'approve', asked?.id ?? '')
    expect(unnamed).toMatchObject({ status: 1, stderr: expect.stringContaining('(parameter_missing)') })
    const named = ['oauth', 'approve', asked?.id ?? '', '--merchant', daemon().merchant]
    expect(await json<Decision>(...named)).toMatchObject({ status: 'approved' })
  })
})

test('the log never contains codes, tokens and secrets', async () => {
  const daemon = await startDaemon(['--ephemeral', '--log-level', 'trace'])
  const app = await ask(daemon, REDIRECT_URI)
  const { stdout } = await paytwin(['oauth', 'approve', app.authorization, '--json'], { env: daemon.env })
  const code = codeIn(JSON.parse(stdout))
  const unknown = { zebra: 'x', password: 'hunter2' }
  const { body } = await token(daemon, app, { ...grantOf(code), ...unknown })
  await token(daemon, app, grantOf(code))
  await fetch(`${daemon.url}/v1/customers?access_token=${body.access_token}`, {
    headers: { authorization: `Bearer ${daemon.secret_key}` },
  })
  await daemon.stop()
  // The note lists the unknown parameters.
  expect(daemon.log()).toContain('zebra')
  for (const secret of [code, app.client_secret, body.access_token, body.refresh_token, 'hunter2']) {
    expect(secret).toBeTruthy()
    expect(daemon.log()).not.toContain(secret)
  }
})

test('with --oauth-errors rfc6749 apps get errors in that format', async () => {
  const daemon = await startDaemon(['--ephemeral', '--oauth-errors', 'rfc6749'])
  const app = await ask(daemon, REDIRECT_URI)
  const { status, body } = await token(daemon, app, grantOf('unknown'))
  expect([status, body.error]).toEqual([400, 'invalid_grant'])
  await daemon.stop()
})
