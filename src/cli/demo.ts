import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { escapeControlsByLine } from '../text/display.ts'
import { MerchantApi } from './demo-api.ts'
import { runStory } from './demo-story.ts'
import { Output } from './output.ts'

type Daemon = ChildProcessByStdio<null, Readable, null>

/**
 * Runs `npm run demo`: starts an ephemeral daemon, simulates three customers for six months, and prints their timelines.
 * The daemon always ends with the demo.
 */
async function demo(): Promise<void> {
  const daemon = spawnDaemon()
  process.once('exit', () => daemon.kill())
  try {
    await Promise.race([runWith(daemon), interruption()])
  } finally {
    await end(daemon)
  }
}

function spawnDaemon(): Daemon {
  const executable = fileURLToPath(new URL('../bin/paytwin.js', import.meta.url))
  const options = '--ephemeral --port 0 --clock 2026-01-31T10:00:00Z --seed 1 --json --log-level error'
  // Variables of the environment are meant for another daemon.
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYTWIN_'))
  return spawn(process.execPath, [executable, 'serve', ...options.split(' ')], {
    env: Object.fromEntries(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function runWith(daemon: Daemon): Promise<void> {
  const { url, secret_key } = await readyLine(daemon)
  await runStory(new MerchantApi(url, secret_key), new Output(process))
}

async function readyLine({ stdout }: Daemon): Promise<{ url: string; secret_key: string }> {
  for await (const line of createInterface(stdout)) return JSON.parse(line)
  throw new Error('the daemon did not start')
}

/** Rejects when a signal interrupts the demo. */
const interruption = (): Promise<never> =>
  new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => reject(new Error('interrupted')))
    }
  })

async function end(daemon: Daemon): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return
  const ended = once(daemon, 'exit')
  daemon.kill()
  await ended
}

// When the reader closes the pipe (`npm run demo | head`), the demo ends without an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

demo().catch((error: unknown) => {
  const why = escapeControlsByLine(error instanceof Error ? error.message : String(error))
  process.stderr.write(`error: the demo failed: ${why}\n`)
  process.exitCode = 1
})
