import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * Records which of the paytwin processes that tests start have crashed. `crash-guard.ts` fails the test that ran meanwhile.
 * This module does not import vitest, because programs that are no tests start daemons too.
 */

/** Last line of Node's report on an uncaught exception or unhandled rejection; a failed command; a daemon's last log line. */
const CRASH = /^Node\.js v\d+\.|internal error in paytwin|"level":"fatal"|^\S+Z FATAL /m

type Crash = { readonly process: string; output: string }

const crashes: Crash[] = []
const expected: RegExp[] = []

/** Records the crash that an output reports, if it reports one. */
export function noteCrash(process: string, output: string): void {
  if (CRASH.test(output)) crashes.push({ process, output })
}

/** Records a crash that a process reports on stderr, as soon as it does. */
export function watchForCrash({ stderr, spawnargs }: ChildProcess): void {
  const seen: Crash = { process: spawnargs.join(' '), output: '' }
  stderr?.on('data', (text) => {
    seen.output += text
    if (!crashes.includes(seen) && CRASH.test(seen.output)) crashes.push(seen)
  })
}

/** Records the crashes that daemons' logs below a folder report. */
export function noteCrashesInLogs(folder: string): void {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const path of names
    .filter((name) => basename(name).startsWith('daemon.log'))
    .map((name) => join(folder, name))) {
    if (!statSync(path).isFile()) continue
    const lines = readFileSync(path, 'utf8').split('\n')
    noteCrash(path, lines.filter((line) => CRASH.test(line)).join('\n'))
  }
}

/** Lets the running test pass although a process crashes; its report has to match the pattern. */
export function expectCrash(pattern: RegExp): void {
  expected.push(pattern)
}

/** What went wrong since the last call: crashes that were not expected, and expected ones that did not happen. */
export function takeSurprises(): string[] {
  const found = crashes.splice(0)
  const patterns = expected.splice(0)
  const surprising = found.filter(({ output }) => !patterns.some((pattern) => pattern.test(output)))
  const missed = patterns.filter((pattern) => !found.some(({ output }) => pattern.test(output)))
  return [
    ...surprising.map(({ process, output }) => `${process} crashed:\n${output}`),
    ...missed.map((pattern) => `no process crashed with ${pattern}`),
  ]
}
