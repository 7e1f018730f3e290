import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The real executable on a file database in a folder of its own, as its users run it. */
export type BenchDaemon = {
  readonly url: string
  readonly secretKey: string
  post(path: string, body: object): Promise<Record<string, unknown>>
  /** Asks for something as the operator; the path is that under /_paytwin. */
  operate(path: string, body?: object): Promise<Record<string, unknown>>
  /** The largest resident set so far, in bytes; the peak starts anew with `resetPeak`. */
  peakMemory(): number
  resetPeak(): Promise<void>
  /** What the database takes on disk, in bytes. */
  size(): number
  stop(): Promise<void>
}

/** @param options - those of serve; with --ephemeral there is no file, and `size` tells nothing */
export async function startDaemon(options: readonly string[]): Promise<BenchDaemon> {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-bench-'))
  const args = [
    'bin/paytwin.js',
    'serve',
    '--port',
    '0',
    ...(options.includes('--ephemeral') ? [] : ['--data', folder]),
    '--json',
    '--log-level',
    'error',
    ...options,
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const { url, secret_key: secretKey, ...tokens } = await readyLine(child)
  const adminToken = tokens.admin_token ?? readFileSync(tokens.admin_token_file ?? '', 'utf8').trim()
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  return {
    url,
    secretKey,
    post: (path, body) => post(agent, url + path, secretKey, body),
    operate: (path, body = {}) => post(agent, `${url}/_paytwin/${path}`, adminToken, body),
    peakMemory: () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    resetPeak: async () => {
      const { writeFile } = await import('node:fs/promises')
      await writeFile(`/proc/${child.pid}/clear_refs`, '5')
    },
    size: () => ['', '-wal'].reduce((sum, end) => sum + statSync(join(folder, `paytwin.db${end}`)).size, 0),
    stop: async () => {
      agent.destroy()
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

type Ready = { url: string; secret_key: string; admin_token?: string; admin_token_file?: string }

async function readyLine(child: ChildProcess): Promise<Ready> {
  if (!child.stdout) throw new Error('the daemon has no stdout')
  for await (const line of createInterface(child.stdout)) return JSON.parse(line)
  throw new Error('the daemon ended before it was ready')
}

function post(agent: Agent, url: string, key: string, body: object): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    }
    const call = request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const answer = Buffer.concat(chunks).toString()
        if ((response.statusCode ?? 500) < 300) resolve(JSON.parse(answer))
        else reject(new Error(`${url}: ${response.statusCode} ${answer}`))
      })
    })
    call.on('error', reject)
    call.end(text)
  })
}
