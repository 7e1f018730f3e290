import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DEFAULT_PORT } from '../../src/cli/daemon/connection.ts'
import { serveOptions } from '../../src/cli/daemon/serve-options.ts'
import { freePort, paytwin, startDaemon, temporaryFolder } from '../cli/executable.ts'
import {
  allOf,
  commandOf,
  daemonVariables,
  INSTRUCTIONS,
  imageEnvironment,
  ROOT,
  textOf,
  theOne,
} from './dockerfile.ts'

const EXECUTABLE = '/usr/local/bin/paytwin'
const BIN = join(ROOT, 'bin/paytwin.js')
const TOKEN = 'a-token-that-is-long-enough-for-an-operator'
const { scripts, allowScripts } = JSON.parse(textOf('package.json'))
const { services, volumes } = parse(textOf('compose.yaml'))
const service = services.paytwin

/** The environment of the service, with what whoever starts it has set. */
function composedEnvironment(set: Record<string, string>): Record<string, string> {
  const withValues = (text: string) =>
    text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, word) => {
      const value = set[name] || (kind === '-' ? word : undefined)
      if (value === undefined) throw new Error(`${name}: ${word}`)
      return value
    })
  const entries = Object.entries<string>(service.environment).map(([name, text]) => [name, withValues(text)])
  return { ...imageEnvironment(), ...Object.fromEntries(entries) }
}

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

test('the packages are installed before the sources are copied, from the lock file alone', () => {
  const before = INSTRUCTIONS.slice(
    0,
    INSTRUCTIONS.findIndex(({ rest }) => rest === '. .'),
  )
  expect(before.map(({ name, rest }) => `${name} ${rest}`).slice(2)).toEqual([
    'COPY package.json package-lock.json ./',
    'RUN npm ci --ignore-scripts && npm rebuild better-sqlite3 esbuild',
  ])
  for (const file of ['package.json', 'package-lock.json'])
    copyFileSync(join(ROOT, file), join(folder.path, file))
  const install = ['ci', '--ignore-scripts', '--dry-run', '--offline']
  expect(execFileSync('npm', install, { cwd: folder.path, encoding: 'utf8', stdio: 'pipe' })).toMatch(
    /^added \d+/m,
  )
  // Scripts that the first step left out, and no others may run.
  expect(Object.keys(allowScripts)).toEqual(['better-sqlite3', 'esbuild'])
})

test('the image has only the files of its build, and no packages', () => {
  for (const [, script = ''] of allOf('RUN')
    .join('\n')
    .matchAll(/npm run (\S+)/g))
    expect(scripts).toHaveProperty([script])
  expect(scripts['build:executable']).toContain('bin/build-executable.js')
  expect(textOf('bin/build-executable.js')).toContain("'../dist/executable/paytwin'")
  const copied = allOf('COPY').flatMap((rest) => rest.match(/\/src\/\S+/g) ?? [])
  const made = ['dist/executable/paytwin', 'dist/executable/paytwin.LICENSES.txt']
  expect(copied.map((path) => path.replace('/src/', ''))).toEqual([...made, 'LICENSE'])
  expect(existsSync(join(ROOT, 'LICENSE'))).toBe(true)
})

test('the image is built with a Node that paytwin is tested with, and README.md names those', () => {
  const [, listed = ''] = /\|\| set -- ([\d ]+)$/m.exec(textOf('test/compat/nodes.sh')) ?? []
  const tested = listed.split(' ')
  const [, major] = /^node:(\d+)-\w+ AS build$/.exec(allOf('FROM')[0] ?? '') ?? []
  expect(tested).toContain(major)
  const last = tested.pop()
  expect(textOf('README.md')).toContain(`It is tested with Node ${tested.join(', ')} and ${last} `)
})

test('the build sees everything that is in version control', () => {
  const lines = (path: string) =>
    textOf(path)
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\*\*\/|\/$/g, ''))
  const known = [...lines('.gitignore'), '.git']
  expect(lines('.dockerignore').filter((line) => !known.includes(line))).toEqual([])
})

test('the image runs commands and names variables that there are', async () => {
  const variables = await daemonVariables()
  const named = [imageEnvironment(), service.environment].flatMap(Object.keys)
  expect(named.filter((name) => !variables.has(name))).toEqual([])
  expect(JSON.parse(theOne('ENTRYPOINT'))).toEqual([EXECUTABLE])
  expect(commandOf(JSON.parse(theOne('CMD'))).rest).toEqual([])
  const { command, rest } = commandOf(healthCheck())
  expect(rest.filter((flag) => !command.options.some(({ long }) => long === flag))).toEqual([])
})

/** What the health check gives the executable. */
function healthCheck(): string[] {
  const [, array = ''] = / CMD (\[.*\])$/.exec(theOne('HEALTHCHECK')) ?? []
  const [executable, ...args] = JSON.parse(array)
  expect(executable).toBe(EXECUTABLE)
  return args
}

test('ports, volumes and the user are the same wherever they are named', () => {
  const options = serveOptions({}, { env: composedEnvironment({ PAYTWIN_ADMIN_TOKEN: TOKEN }) })
  expect(options).toMatchObject({
    host: '0.0.0.0',
    port: DEFAULT_PORT,
    data: theOne('VOLUME'),
    clock: 'live',
  })
  expect(theOne('EXPOSE')).toBe(String(DEFAULT_PORT))
  expect(service.ports).toEqual([`127.0.0.1:${DEFAULT_PORT}:${DEFAULT_PORT}`])
  const [volume, place] = service.volumes[0].split(':')
  expect(Object.keys(volumes)).toEqual([volume])
  expect(place).toBe(options.data)
  expect(allOf('COPY')).toContain(`--from=build --chown=${theOne('USER')} ${place} ${place}`)
  expect(theOne('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  // Nothing else can be written there, and SQLite is loaded by way of a temporary file.
  expect(service.read_only).toBe(true)
  expect(service.tmpfs).toEqual(['/tmp:exec,mode=1777'])
})

test.each([
  ['the image', {}],
  ['compose', composedEnvironment({})],
])(
  '%s starts without an admin token, and prints a generated one at the first start only',
  async (_, given) => {
    const env = {
      ...imageEnvironment(),
      ...given,
      PAYTWIN_DATA: folder.path,
      PAYTWIN_PORT: String(await freePort()),
    }
    const first = await startedAsText(env)
    const [, token = ''] = /^Admin token \(shown only once\): (\w{40})$/m.exec(first.stderr) ?? []
    expect(first.stdout).toMatch(/^paytwin \S+ ready on /)
    expect(readFileSync(join(folder.path, 'admin-token'), 'utf8')).toBe(`${token}\n`)
    expect(first.health).toMatchObject({ status: 0, stderr: '' })

    const second = await startedAsText(env)
    expect(second.health.status).toBe(0)
    expect(second.stdout + second.stderr).not.toContain(token)
  },
)

/** Runs the image's command until its health check has ended. */
async function startedAsText(env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [BIN, ...JSON.parse(theOne('CMD'))], { env: { PATH, HOME, ...env } })
  const closed = once(child, 'close')
  const output = { stdout: '', stderr: '' }
  const ready = new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output.stdout += text
      resolve(text)
    })
  })
  child.stderr.setEncoding('utf8').on('data', (text) => (output.stderr += text))
  await Promise.race([ready, closed])
  const health = await paytwin(healthCheck(), { env })
  child.kill()
  await closed
  return { ...output, health }
}

test('beyond loopback, a token is generated only if the operator asks for it', async () => {
  const { PAYTWIN_GENERATE_ADMIN_TOKEN, ...env } = imageEnvironment()
  expect(PAYTWIN_GENERATE_ADMIN_TOKEN).toBe('1')
  const options = { env: { ...env, PAYTWIN_DATA: folder.path, PAYTWIN_PORT: '0' } }
  const { status, stderr } = await paytwin(JSON.parse(theOne('CMD')), options)
  expect(status).toBe(2)
  expect(stderr).toContain('PAYTWIN_ADMIN_TOKEN, or give --admin-token-file or --generate-admin-token')
})

test('the service is healthy while it runs, and is called by its name, as localhost, and by no other', async () => {
  const given = composedEnvironment({ PAYTWIN_ADMIN_TOKEN: TOKEN, PAYTWIN_CLOCK: '2026-01-31' })
  const env: Record<string, string> = { ...given, PAYTWIN_DATA: folder.path }
  const daemon = await startDaemon([], { env })
  expect(await paytwin(healthCheck(), { env })).toMatchObject({ status: 0, stderr: '' })
  const { PAYTWIN_ADMIN_TOKEN, ...others } = env
  const file = join(folder.path, 'secret')
  writeFileSync(file, PAYTWIN_ADMIN_TOKEN ?? '')
  const byFile = { ...others, PAYTWIN_ADMIN_TOKEN_FILE: file }
  expect(await paytwin(healthCheck(), { env: byFile })).toMatchObject({ status: 0, stderr: '' })

  const { port } = new URL(daemon.url)
  const statusFor = (host: string) =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${daemon.secret_key}` }
      request({ host: '127.0.0.1', port, path: '/_paytwin/health', headers }, (response) => {
        resolve(response.resume().statusCode)
      })
        .once('error', reject)
        .end()
    })
  expect(await statusFor(`paytwin:${port}`)).toBe(200)
  expect(await statusFor(`localhost:${port}`)).toBe(200)
  expect(await statusFor('elsewhere.example')).toBe(400)

  expect(await daemon.stop()).toBe(0)
  expect((await paytwin(healthCheck(), { env })).status).toBe(3)
})
