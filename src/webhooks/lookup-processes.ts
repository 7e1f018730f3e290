import { type ChildProcess, spawn } from 'node:child_process'
import type { LookupAddress } from 'node:dns'

/** Resolves a host name. Rejects with the signal's reason when the signal is aborted. */
export type LookUp = (name: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>

/** The message of a child process. */
type LookupResult =
  | { readonly found: readonly LookupAddress[] }
  | { readonly message: string; readonly code?: string }

/** The time for which an idle child process is kept for the next name. */
const IDLE_MS = 30_000
/** The script of a child process. It kills itself when the daemon is gone, because an exit would wait for the lookup. */
export const SCRIPT = `
const { lookup } = require('node:dns')
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (name) =>
  lookup(name, { all: true }, (error, found) =>
    process.send(error ? { message: error.message, code: error.code } : { found })))
`

/**
 * Resolves names as the system does (getaddrinfo), each in a child process. A thread that waits for a name server
 * cannot be interrupted: in this process it would occupy one of Node's two lookup threads and delay the exit. A child
 * process can be killed.
 */
export class LookupProcesses {
  readonly #script: string
  readonly #idle = new Map<ChildProcess, NodeJS.Timeout>()

  /** @param script - the script of a child, which answers each message with one message */
  constructor(script = SCRIPT) {
    this.#script = script
  }

  readonly lookUp: LookUp = async (name, signal) => {
    const child = this.#take()
    try {
      const result = await ask(child, name, signal)
      this.#keep(child)
      if ('found' in result) return result.found
      throw Object.assign(new Error(result.message), { code: result.code })
    } catch (error) {
      if (!this.#idle.has(child)) kill(child)
      throw error
    }
  }

  /** Kills the idle child processes; the others end with their lookups. */
  close(): void {
    for (const child of this.#idle.keys()) this.#end(child)
  }

  #take(): ChildProcess {
    const [child] = this.#idle.keys()
    if (!child) return this.#start()
    clearTimeout(this.#idle.get(child))
    this.#idle.delete(child)
    return child
  }

  #start(): ChildProcess {
    const child = start(this.#script)
    child.once('exit', () => this.#end(child))
    return child
  }

  #keep(child: ChildProcess): void {
    this.#idle.set(child, setTimeout(() => this.#end(child), IDLE_MS).unref())
  }

  #end(child: ChildProcess): void {
    clearTimeout(this.#idle.get(child))
    this.#idle.delete(child)
    kill(child)
  }
}

/** Starts a child process that does not keep this one alive. */
function start(script: string): ChildProcess {
  // Options of this process, such as --inspect, must not apply to the child.
  const { NODE_OPTIONS: _, ...env } = process.env
  const child = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  child.on('error', () => undefined)
  child.unref()
  child.channel?.unref()
  return child
}

/**
 * Kills a child process, if it was started. Without descriptors `spawn` leaves a child without a process ID, and until the
 * next tick its `kill` would signal process 0: every process of this process's own group.
 */
function kill(child: ChildProcess): void {
  if (child.pid !== undefined) child.kill('SIGKILL')
}

function ask(child: ChildProcess, name: string, signal: AbortSignal): Promise<LookupResult> {
  const listening = new AbortController()
  return new Promise<LookupResult>((resolve, reject) => {
    const { signal: until } = listening
    const fail = (error?: Error | null) => {
      if (error) reject(new Error(`${name} could not be looked up: ${error.message}`))
    }
    const ended = () => fail(new Error('the lookup process has ended'))
    const stop = () => reject(signal.reason)
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { signal: until })
    child.once('message', (result) => resolve(result as LookupResult))
    child.once('error', fail).once('exit', ended)
    until.addEventListener('abort', () => child.off('error', fail).off('exit', ended))
    // A child that was not started has no channel; its 'error' event follows.
    if (child.pid !== undefined) child.send(name, fail)
  }).finally(() => listening.abort())
}
