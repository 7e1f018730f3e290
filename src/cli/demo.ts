import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { visibleLines } from '../text/display.ts'
import { MerchantApi } from './demo-api.ts'
import { tellStories } from './demo-story.ts'
import { Output } from './output.ts'

type Daemon = ChildProcessByStdio<null, Readable, null>

/**
 * `npm run demo`: an ephemeral daemon, three customers, six months, and what happened to each of them. The daemon ends
 * when the demo does, however that comes about.
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
  // What the environment says is meant for another daemon.
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYTWIN_'))
  return spawn(process.execPath, [executable, 'serve', ...options.split(' ')], {
    env: Object.fromEntries(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function runWith(daemon: Daemon): Promise<void> {
  const { url, secret_key } = await readyLine(daemon)
  await tellStories(new MerchantApi(url, secret_key), new Output(process))
}

async function readyLine({ stdout }: Daemon): Promise<{ url: string; secret_key: string }> {
  for await (const line of createInterface(stdout)) return JSON.parse(line)
  throw new Error('the daemon did not start')
}

/** Rejects when the demo is asked to end before it is done. */
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

// A reader that has seen enough (`npm run demo | head`) ends the demo, quietly.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

demo().catch((error: unknown) => {
  const why = visibleLines(error instanceof Error ? error.message : String(error))
  process.stderr.write(`error: the demo failed: ${why}\n`)
  process.exitCode = 1
})
