import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { createInterface } from 'node:readline'
import { newFolder, removeFolder } from './folders.ts'
import { countAsOurs } from './machine.ts'

/** The parsed body of an API response. */
export type ResponseBody = Record<string, unknown>

/** A server under measurement: paytwin, or a floor with the same routes. */
export type Server = {
  readonly url: string
  readonly pid: number
  /** Stops the server and waits for its exit. Its writes are then in the database file. */
  stop(): Promise<void>
}

/** The real executable with a data folder, as users run it. */
export type BenchDaemon = Server & {
  readonly secretKey: string
  readonly adminToken: string
  post(path: string, body: object): Promise<ResponseBody>
  get(path: string): Promise<ResponseBody>
  /** Sends a request to the admin API; the path is relative to /_paytwin. */
  operate(path: string, body?: object): Promise<ResponseBody>
}

/** The data folder, which a later daemon can reuse. */
export type Kept = { readonly folder: string; readonly secretKey: string }

const PAYTWIN = 'bin/paytwin.js'
/** The time of the frozen clock, in the middle of a month. One month later, each subscription has been renewed once. */
export const FROZEN = ['--clock', '2026-01-15T10:00:00Z', '--seed', '1'] as const

/**
 * Starts the daemon.
 * @param options - the options of serve
 * @param kept - an existing data folder to use and keep; by default a new folder that is deleted at the end
 */
export async function startDaemon(options: readonly string[], kept?: Kept): Promise<BenchDaemon> {
  const isEphemeral = options.includes('--ephemeral')
  const folder = kept?.folder ?? newFolder()
  const place = isEphemeral ? [] : ['--data', folder]
  const args = ['serve', '--port', '0', ...place, '--json', '--log-level', 'error', ...options]
  const { child, line } = await startProcess(PAYTWIN, args)
  const { url, ...secrets } = JSON.parse(line) as Record<string, string> & { url: string }
  const secretKey = kept?.secretKey ?? secrets.secret_key ?? ''
  const adminToken = secrets.admin_token ?? readFileSync(secrets.admin_token_file ?? '', 'utf8').trim()
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  return {
    url,
    pid: child.pid ?? 0,
    secretKey,
    adminToken,
    post: (path, body) => ask({ agent, url: url + path, token: secretKey, method: 'POST', body }),
    get: (path) => ask({ agent, url: url + path, token: secretKey, method: 'GET' }),
    operate: (path, body = {}) =>
      ask({ agent, url: `${url}/_paytwin/${path}`, token: adminToken, method: 'POST', body }),
    stop: async () => {
      agent.destroy()
      await end(child)
      if (!kept) removeFolder(folder)
    },
  }
}

/**
 * Starts a floor: a server that does the minimum of the same work.
 * @param name - the name of the file in test/bench/floors; it prints its address when it is ready
 */
export async function startFloor(name: string, args: readonly string[] = []): Promise<Server> {
  const { child, line } = await startProcess(floorPath(name), args)
  return { url: line, pid: child.pid ?? 0, stop: () => end(child) }
}

export const floorPath = (name: string): string => `dist/bench/floors/${name}.js`

/** Runs a floor that is a script rather than a server. @returns its output, parsed as JSON */
export async function runFloor<Result>(name: string, args: readonly string[]): Promise<Result> {
  const { child, line } = await startProcess(floorPath(name), args)
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  return JSON.parse(line) as Result
}

/** @returns the process, and the first line that it prints */
export async function startProcess(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  countAsOurs(child)
  for await (const line of createInterface(child.stdout)) return { child, line }
  throw new Error(`${script} ended before it was ready`)
}

async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

type Asked = {
  readonly agent: Agent
  readonly url: string
  readonly token: string
  readonly method: 'GET' | 'POST'
  readonly body?: object
}

function ask({ agent, url, token, method, body }: Asked): Promise<ResponseBody> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    }
    const call = request(url, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(text))
        else reject(new Error(`${url}: ${response.statusCode} ${text}`))
      })
    })
    call.on('error', reject)
    call.end(text)
  })
}
