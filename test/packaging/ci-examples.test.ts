import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXECUTABLE, freePort, paytwin, startDaemon, temporaryFolder } from '../cli/executable.ts'
import { commandOf, daemonVariables, imageEnvironment, textOf } from './dockerfile.ts'

type Environment = Record<string, string>
/** A job of a GitHub or GitLab pipeline: its commands, in order, and its service. */
type Job = {
  readonly commands: readonly string[]
  readonly env: Environment
  readonly service: Environment | undefined
}

const BLOCKS = [...textOf('docs/ci.md').matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text)

/** The one job of a pipeline. GitLab gives a job's variables to its services, and reads YAML 1.1. */
function jobOf(text: string): Job {
  const { jobs, billing } = parse(text)
  if (jobs) {
    const { steps, env = {}, services } = jobs.billing
    const commands = steps.flatMap(({ run }: { run?: string }) => run?.trim().split('\n') ?? [])
    return { commands, env, service: services?.paytwin.env }
  }
  const { variables: env = {}, script, after_script = [], services } = parse(text, { version: '1.1' }).billing
  expect(billing.variables ?? {}).toEqual(env)
  return { commands: [...script, ...after_script], env, service: services && env }
}

const JOBS = BLOCKS.map(jobOf)

test('there is an example of each way for both kinds of pipeline', () => {
  const ways = JOBS.map(({ commands, service }) => {
    if (service) return 'service'
    return commands.includes('npx paytwin start') ? 'start' : 'run'
  })
  expect(ways).toEqual(['run', 'run', 'start', 'start', 'service', 'service'])
})

test.each(JOBS)(
  'example %# names commands and variables that there are',
  async ({ commands, env, service = {} }) => {
    const variables = await daemonVariables()
    const known = (name: string) => variables.has(name) || name === 'PAYTWIN_URL'
    expect([...Object.keys(env), ...Object.keys(service)].filter((name) => !known(name))).toEqual([])
    expect(
      [...Object.values(env), ...Object.values(service)].filter((value) => typeof value !== 'string'),
    ).toEqual([])
    const others = commands.filter((line) => !line.startsWith('npx paytwin '))
    expect(others.filter((line) => line !== 'npm ci' && line !== 'npm test')).toEqual([])
    for (const line of commands.filter((each) => !others.includes(each))) commandOf(line.split(' ').slice(2))
  },
)

describe('The examples do what they say', () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
    // A project that depends on paytwin, with tests that expect the clock at 31 January.
    mkdirSync(join(folder.path, 'node_modules/.bin'), { recursive: true })
    symlinkSync(EXECUTABLE, join(folder.path, 'node_modules/.bin/paytwin'))
    writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ scripts: { test: 'node tests.mjs' } }))
    writeFileSync(join(folder.path, 'tests.mjs'), TESTS)
  })
  afterEach(() => folder.remove())

  const TESTS = `
    const { PAYTWIN_URL, PAYTWIN_SECRET_KEY } = process.env
    const headers = { authorization: 'Bearer ' + PAYTWIN_SECRET_KEY }
    const response = await fetch(PAYTWIN_URL + '/v1/customers', { method: 'POST', headers })
    const { created } = await response.json()
    if (new Date(created * 1000).toISOString() !== '2026-01-31T10:00:00.000Z') throw new Error('wrong time')
    console.log('the tests pass')`

  /** Runs the lines of a job one after the other, as a runner does. @returns what they print */
  async function runAll(commands: readonly string[], env: Environment): Promise<string> {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYTWIN_'))
    let printed = ''
    for (const line of commands.filter((each) => each !== 'npm ci')) {
      const child = spawn('bash', ['-ec', line], {
        cwd: folder.path,
        env: { ...Object.fromEntries(inherited), ...env },
      })
      child.stdout.setEncoding('utf8').on('data', (text) => (printed += text))
      child.stderr.setEncoding('utf8').on('data', (text) => (printed += text))
      const [status] = await once(child, 'close')
      expect({ line, status, printed }).toMatchObject({ line, status: 0 })
    }
    return printed
  }

  test('with a daemon around the tests', async () => {
    const [github, gitlab] = JOBS
    expect(gitlab).toEqual(github)
    expect(await runAll(github?.commands ?? [], {})).toContain('the tests pass')
  })

  test.each(JOBS.slice(2, 4))('with a daemon for several steps, %#', async ({ commands, env }) => {
    // Others may have a daemon on the port that it has when nothing is said.
    const port = String(await freePort())
    expect(new URL(env.PAYTWIN_URL ?? '').port).toBe('4242')
    const elsewhere = { ...env, PAYTWIN_PORT: port, PAYTWIN_URL: `http://127.0.0.1:${port}` }
    try {
      const printed = await runAll(commands, elsewhere)
      expect(printed).toContain('the tests pass')
      expect(printed).toMatch(/INFO +ready/)
    } finally {
      // Where the example leaves that to the end of the container.
      await paytwin(['stop'], { cwd: folder.path, env: elsewhere })
    }
    const { status } = await paytwin(['status'], { cwd: folder.path, env: elsewhere })
    expect(status).toBe(3)
  })

  test.each(JOBS.slice(4))('with a service beside the job, %#', async ({ commands, env, service }) => {
    const data = join(folder.path, 'data')
    const daemon = await startDaemon([], { env: { ...imageEnvironment(), ...service, PAYTWIN_DATA: data } })
    const { hostname, port } = new URL(env.PAYTWIN_URL ?? '')
    expect(port).toBe(imageEnvironment().PAYTWIN_PORT)
    const named = service?.PAYTWIN_PUBLIC_URL
    expect(['localhost', named && new URL(named).hostname]).toContain(hostname)
    const { port: own } = new URL(daemon.url)
    expect(await runAll(commands, { ...env, PAYTWIN_URL: `http://127.0.0.1:${own}` })).toContain(
      'the tests pass',
    )
    expect(await daemon.stop()).toBe(0)
  })
})
