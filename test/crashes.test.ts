import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import config from '../vitest.config.ts'
import { paytwin, startDaemon, temporaryFolder } from './cli/executable.ts'
import { expectCrash, noteCrash, takeSurprises } from './crashes.ts'

/** Makes Node run a script before paytwin. */
const running = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
})
const REJECT = 'Promise.reject(new Error("injected"))'

describe('a crash is recorded', () => {
  test('of a command with an unhandled rejection', async () => {
    expect(await paytwin(['--version'], { env: running(REJECT) })).toMatchObject({ status: 1 })
    expect(takeSurprises()).toEqual([expect.stringMatching(/--version crashed:.*Error: injected/s)])
  })

  test('of a daemon with an unhandled rejection', async () => {
    const env = running(`process.on('SIGUSR2', () => { ${REJECT} })`)
    const { child } = await startDaemon(['--ephemeral'], { env })
    const closed = once(child, 'close')
    child.kill('SIGUSR2')
    expect(await closed).toEqual([1, null])
    expect(takeSurprises()).toEqual([expect.stringMatching(/ serve .* crashed:.*Error: injected/s)])
  })

  test('that is in a log whose folder was removed', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder.path, 'daemon.log'), '{"level":"info"}\n{"level":"fatal","msg":"the end"}\n')
    folder.remove()
    expect(takeSurprises()).toEqual([expect.stringContaining('"msg":"the end"')])
  })

  test('unless the test expects it', () => {
    noteCrash('one', 'error: internal error in paytwin\nError: boom')
    expectCrash(/boom/)
    expect(takeSurprises()).toEqual([])
  })
})

test('an expected crash must happen', () => {
  expectCrash(/boom/)
  expect(takeSurprises()).toEqual(['no process crashed with /boom/'])
})

test('a process that ends normally is no crash', async () => {
  await paytwin(['--version'])
  await paytwin(['zebra'])
  noteCrash('one', '2026-01-31T10:00:00Z ERROR fatal is only a word here, as is Node.js v20.\n')
  expect(takeSurprises()).toEqual([])
})

test('vitest fails a run with unhandled errors, and guards every project', () => {
  const { test: options } = config as {
    test: Record<string, unknown> & { projects: Record<string, unknown>[] }
  }
  for (const each of [options, ...options.projects.map(({ test: own }) => own as Record<string, unknown>)]) {
    expect(each.dangerouslyIgnoreUnhandledErrors).toBeUndefined()
    expect(each.onUnhandledError).toBeUndefined()
  }
  expect(options.setupFiles).toContain('test/crash-guard.ts')
  for (const project of options.projects) expect(project.extends).toBe(true)
  expect(readFileSync('package.json', 'utf8')).not.toContain('dangerouslyIgnoreUnhandledErrors')
})
