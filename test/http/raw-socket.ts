import { connect, type Socket } from 'node:net'
import { type Daemon, type DaemonOptions, startDaemon } from '../../src/daemon/daemon.ts'

/** Starts a daemon in memory on a free port, in this process. */
export const startListening = (options: Partial<DaemonOptions> = {}): Promise<Daemon> =>
  startDaemon({
    host: '127.0.0.1',
    port: 0,
    data: null,
    adminToken: null,
    adminTokenFile: null,
    generateAdminToken: false,
    clock: 1769853600,
    seed: '1',
    secretKey: null,
    dialect: null,
    apiVersion: null,
    fixtures: [],
    durability: 'normal',
    allowedHosts: [],
    webhookAllow: [],
    rateLimit: null,
    keyCacheSeconds: 0,
    strictParams: false,
    oauthErrors: 'envelope',
    publicUrl: null,
    logLevel: 'silent',
    json: false,
    version: '0.0.0',
    ...options,
  })

/** A response as it was received. */
export type RawResponse = { readonly status: number; readonly head: string; readonly body: string }

/** A connection that sends exactly the bytes of a test. */
export type RawSocket = {
  readonly socket: Socket
  /** Resolves to all received text when the daemon closes the connection, in whatever way. */
  readonly heard: Promise<string>
  write(...lines: string[]): void
}

/** @param options.allowHalfOpen - whether it keeps its side open, even after the daemon closed the other one */
export function openSocket(
  { url }: Pick<Daemon, 'url'>,
  { allowHalfOpen = false }: { allowHalfOpen?: boolean } = {},
): RawSocket {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen })
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk) => {
    text += chunk
  })
  // A connection that is cut during a write emits an error before it closes.
  socket.on('error', () => undefined)
  const heard = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  return { socket, heard, write: (...lines) => socket.write(lines.join('\r\n')) }
}

/** Splits received text into responses, by their lengths. */
export function responsesIn(heard: string): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = heard; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    const head = end === -1 ? rest : rest.slice(0, end)
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? []
    if (status === undefined) throw new Error(`no response begins here: ${rest}`)
    const isInterim = status === '100'
    const [, announced] = /\r\nContent-Length: (\d+)/i.exec(head) ?? []
    // Without a length, the body extends to the end.
    const length = isInterim ? 0 : Number(announced ?? rest.length)
    responses.push({ status: Number(status), head, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return responses
}

/** Sends bytes and returns all received text until the daemon closes the connection. */
export async function send(daemon: Pick<Daemon, 'url'>, ...lines: string[]): Promise<RawResponse> {
  const raw = openSocket(daemon)
  raw.write(...lines)
  const heard = await raw.heard
  const [head = '', ...body] = heard.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]), head, body: body.join('\r\n\r\n') }
}
