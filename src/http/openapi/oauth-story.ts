import type { Recorder, ResponseBody } from './recorder.ts'

const REDIRECT_URI = 'https://ledgerly.example/callback'
/** Source: RFC 7636, Appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** Records the OAuth routes: an app is created, authorized, refreshed and revoked. */
export async function recordOAuth(recorder: Recorder): Promise<void> {
  const app = await recorder.post('/_paytwin/apps', { name: 'Ledgerly', redirect_uris: [REDIRECT_URI] })
  await recorder.get('/_paytwin/apps')
  const headers = proofOf(recorder, app)
  const { code } = await approved(recorder, app)
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
  const refused = (body: ResponseBody) => recorder.refused('post', '/v1/oauth/token', { body, headers })
  await refused(exchange)
  await refused({ grant_type: 'password' })
  await recorder.refused('post', '/v1/oauth/token', {
    body: exchange,
    headers: { Authorization: 'Basic Og==' },
  })
  const { access_token, refresh_token } = await recorder.post(
    '/v1/oauth/token',
    { ...exchange, code_verifier: VERIFIER },
    headers,
  )
  await recorder.refused('post', '/v1/customers', {
    headers: { Authorization: `Bearer ${recorder.real(access_token)}` },
  })
  const again = await recorder.post(
    '/v1/oauth/token',
    { grant_type: 'refresh_token', refresh_token },
    headers,
  )
  await recorder.post('/v1/oauth/revoke', { token: again.refresh_token }, headers)
  await refusing(recorder, app)
  await recorder.post(`/_paytwin/apps/${app.id}/rotate_secret`)
  await recorder.delete(`/_paytwin/apps/${app.id}`)
}

const proofOf = (recorder: Recorder, { client_id, client_secret }: ResponseBody) => ({
  Authorization: `Basic ${btoa(`${client_id}:${recorder.real(client_secret)}`)}`,
})

const ask = (recorder: Recorder, { client_id }: ResponseBody): Promise<ResponseBody> =>
  recorder.post('/v1/oauth/authorizations', {
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'read_only',
    state: 'af0ifjsldkj',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  })

async function approved(recorder: Recorder, app: ResponseBody): Promise<{ code: string | null }> {
  const { id } = await ask(recorder, app)
  const { redirect_to } = await recorder.post(`/v1/oauth/authorizations/${id}/approve`)
  return { code: new URL(redirect_to).searchParams.get('code') }
}

async function refusing(recorder: Recorder, app: ResponseBody): Promise<void> {
  await recorder.post(`/v1/oauth/authorizations/${(await ask(recorder, app)).id}/deny`)
  await recorder.post(`/_paytwin/authorizations/${(await ask(recorder, app)).id}/approve`)
  await recorder.post(`/_paytwin/authorizations/${(await ask(recorder, app)).id}/deny`)
  await recorder.get('/_paytwin/authorizations?limit=1')
  const body = { client_id: app.client_id, redirect_uri: REDIRECT_URI, scope: 'everything' }
  await recorder.refused('post', '/v1/oauth/authorizations', { body })
}
