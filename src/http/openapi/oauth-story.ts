import type { Answered, Recorder } from './recorder.ts'

const REDIRECT_URI = 'https://ledgerly.example/callback'
/** Source: RFC 7636, Appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** How an app is let in, comes again, and is let out. */
export async function lettingIn(told: Recorder): Promise<void> {
  const app = await told.post('/_paytwin/apps', { name: 'Ledgerly', redirect_uris: [REDIRECT_URI] })
  await told.get('/_paytwin/apps')
  const headers = proofOf(told, app)
  const { code } = await approved(told, app)
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
  const refused = (body: Answered) => told.refused('post', '/v1/oauth/token', { body, headers })
  await refused(exchange)
  await refused({ grant_type: 'password' })
  await told.refused('post', '/v1/oauth/token', { body: exchange, headers: { Authorization: 'Basic Og==' } })
  const { access_token, refresh_token } = await told.post(
    '/v1/oauth/token',
    { ...exchange, code_verifier: VERIFIER },
    headers,
  )
  await told.refused('post', '/v1/customers', {
    headers: { Authorization: `Bearer ${told.real(access_token)}` },
  })
  const again = await told.post('/v1/oauth/token', { grant_type: 'refresh_token', refresh_token }, headers)
  await told.post('/v1/oauth/revoke', { token: again.refresh_token }, headers)
  await refusing(told, app)
  await told.post(`/_paytwin/apps/${app.id}/rotate_secret`)
  await told.delete(`/_paytwin/apps/${app.id}`)
}

const proofOf = (told: Recorder, { client_id, client_secret }: Answered) => ({
  Authorization: `Basic ${btoa(`${client_id}:${told.real(client_secret)}`)}`,
})

const ask = (told: Recorder, { client_id }: Answered): Promise<Answered> =>
  told.post('/v1/oauth/authorizations', {
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'read_only',
    state: 'af0ifjsldkj',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })

async function approved(told: Recorder, app: Answered): Promise<{ code: string | null }> {
  const { id } = await ask(told, app)
  const { redirect_to } = await told.post(`/v1/oauth/authorizations/${id}/approve`)
  return { code: new URL(redirect_to).searchParams.get('code') }
}

async function refusing(told: Recorder, app: Answered): Promise<void> {
  await told.post(`/v1/oauth/authorizations/${(await ask(told, app)).id}/deny`)
  await told.post(`/_paytwin/authorizations/${(await ask(told, app)).id}/approve`)
  await told.post(`/_paytwin/authorizations/${(await ask(told, app)).id}/deny`)
  await told.get('/_paytwin/authorizations?limit=1')
  const body = { client_id: app.client_id, redirect_uri: REDIRECT_URI, scope: 'everything' }
  await told.refused('post', '/v1/oauth/authorizations', { body })
}
