import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runHere } from './command-line.ts'
import { nameOf, VERBS } from './command-tree.ts'
import { lines, paytwin, start, subscribe, temporaryFolder } from './executable.ts'

// The examples of the commands that start, stop or watch a daemon. Each runs in a separate folder.

const FIXTURES = fileURLToPath(new URL('../../fixtures', import.meta.url))

let folder: ReturnType<typeof temporaryFolder>
let here: { cwd: string; env: Record<string, string> }
beforeEach(() => {
  folder = temporaryFolder()
  here = { cwd: join(folder.path, 'work'), env: { PAYTWIN_PORT: '0' } }
  mkdirSync(here.cwd)
  cpSync(FIXTURES, join(here.cwd, 'fixtures'), { recursive: true })
  // For `npm test`.
  writeFileSync(join(here.cwd, 'package.json'), JSON.stringify({ scripts: { test: 'exit 0' } }))
})
afterEach(async () => {
  await runHere(['stop', '--data', join(here.cwd, '.paytwin')])
  folder.remove()
})

/** The examples of some commands, each with its arguments. */
const examplesOf = (...names: string[]) =>
  VERBS.filter((verb) => names.includes(nameOf(verb))).flatMap(({ examples }) =>
    examples.map((args) => [args.join(' '), args] as const),
  )

async function succeed(args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await paytwin(args, here)
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: expect.any(String) })
  return stdout
}

/**
 * Runs a command that runs until Ctrl-C. @returns its first line
 * @param act - triggers what the command waits for; called repeatedly, because it is unknown when the command is ready
 */
async function firstLineOf(
  args: readonly string[],
  act?: () => Promise<unknown>,
): Promise<string | undefined> {
  const child = start(args, here)
  const closed = once(child, 'close')
  let isSaid = false
  const said = lines(child.stdout)
    .next()
    .finally(() => {
      isSaid = true
    })
  while (act && !isSaid) await act()
  const line = await said
  child.kill('SIGINT')
  expect(await closed).toEqual([0, null])
  return line
}

test.each(examplesOf('serve'))('%s', async (_example, args) => {
  expect(await firstLineOf(args)).toContain('http://127.0.0.1:')
})

test.each(examplesOf('start'))('%s', async (_example, args) => {
  await succeed(args)
  await succeed(['stop'])
})

test.each(examplesOf('stop'))('%s', async (_example, args) => {
  await succeed(['start'])
  await succeed(args)
})

test.each(examplesOf('run'))('%s', async (_example, args) => {
  await succeed(args)
})

test.each(examplesOf('logs'))('%s', async (_example, args) => {
  await succeed(['start'])
  expect(await (args.includes('-f') ? firstLineOf(args) : succeed(args))).toContain('ready')
})

test.each(examplesOf('events tail'))('%s', async (_example, args) => {
  const daemon = JSON.parse(await succeed(['start', '--json', '--clock', '2026-01-31']))
  expect(await firstLineOf(args, () => subscribe(daemon))).toMatch(/^(\{"id":"evt_|2026-01-31T00:00:00Z )/)
})
