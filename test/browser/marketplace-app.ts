import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paytwin, type RunningDaemon } from '../cli/executable.ts'

export type AppResponse = { readonly status: number; readonly body: Record<string, string> }

/** A typical OAuth app: a page that starts the authorization, and a callback that exchanges the code. */
export type MarketplaceApp = {
  readonly url: string
  /** The callback's query and Referer, for each decision. */
  readonly visits: { readonly query: Record<string, string>; readonly referer: string | undefined }[]
  /** The tokens from the exchange of the code. */
  readonly tokens: Record<string, string>[]
  /** Calls the API with the access token. */
  call(path: string, access_token: string | undefined, body?: object): Promise<AppResponse>
  /** Calls the token or revocation endpoint with the credentials of the app. */
  asItself(path: 'token' | 'revoke', form: Record<string, string>): Promise<AppResponse>
  close(): Promise<void>
}

/** Registers an app with the daemon and serves it. @param scope - the requested scope */
export async function startApp(daemon: RunningDaemon, scope = 'read_write'): Promise<MarketplaceApp> {
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirect_uri = `${url}/callback`
  const create = ['apps', 'create', '--name', 'Ledgerly Books', '--redirect-uri', redirect_uri, '--json']
  const { client_id, client_secret } = JSON.parse((await paytwin(create, { env: daemon.env })).stdout)
  const visits: MarketplaceApp['visits'] = []
  const tokens: Record<string, string>[] = []
  /** Code verifiers, by state. */
  const begun = new Map<string, string>()

  const responseOf = async (response: Response): Promise<AppResponse> => ({
    status: response.status,
    body: (await response.json()) as Record<string, string>,
  })
  const asItself: MarketplaceApp['asItself'] = async (path, form) =>
    responseOf(
      await fetch(`${daemon.url}/v1/oauth/${path}`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
        body: new URLSearchParams(form),
      }),
    )

  function begin(response: ServerResponse): void {
    const [verifier, state] = [randomBytes(32), randomBytes(16)].map((bytes) => bytes.toString('base64url'))
    begun.set(state ?? '', verifier ?? '')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri,
      scope,
      state: state ?? '',
      code_challenge: createHash('sha256')
        .update(verifier ?? '')
        .digest('base64url'),
      code_challenge_method: 'S256',
    })
    response.writeHead(303, { Location: `${daemon.url}/v1/oauth/authorize?${query}` }).end()
  }

  async function comeBack(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(request.url ?? '', url)
    const query = Object.fromEntries(searchParams)
    visits.push({ query, referer: request.headers.referer })
    const code_verifier = begun.get(query.state ?? '')
    if (code_verifier !== undefined && query.code !== undefined) {
      const grant = { grant_type: 'authorization_code', code: query.code, redirect_uri, code_verifier }
      tokens.push((await asItself('token', grant)).body)
    }
    page(response, query.error === undefined ? 'You are connected' : 'You are not connected')
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    if (pathname === '/connect') begin(response)
    else if (pathname === '/callback') await comeBack(request, response)
    else if (pathname === '/frame')
      page(response, `<iframe name="stolen" src="${searchParams.get('of')?.replaceAll('"', '')}"></iframe>`)
    else page(response, '<a href="/connect">Connect</a>')
  }

  return {
    url,
    visits,
    tokens,
    asItself,
    call: async (path, access_token, body) =>
      responseOf(
        await fetch(daemon.url + path, {
          method: body ? 'POST' : 'GET',
          headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      ),
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const page = (response: ServerResponse, content: string): void => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>App</title>${content}`)
}
