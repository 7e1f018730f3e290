import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Project } from './installed.ts'

/** What vitest runs: the documents' examples, and what is in test/library/project. */
const EXAMPLES = [
  ...['readme.test.ts', 'failed-renewal.test.ts', 'trial.test.ts', 'webhook-handler.test.ts'],
  ...['oauth-app.test.ts', 'parallel.test.ts', 'types.spec.ts', 'routes.spec.ts', 'fake-timers.spec.ts'],
]
/** Those whose worker matters: several sandboxes at once, a server that the test starts, faked timers, and the shortest one. */
const IN_THREADS = ['parallel.test.ts', 'webhook-handler.test.ts', 'fake-timers.spec.ts', 'readme.test.ts']
const NODE_EXAMPLE = 'outage.test.mjs'
/** test/compat/package.test.ts runs it. */
const JEST_EXAMPLE = 'retry.test.cjs'
const OWN_TYPES = ['node_modules/paytwin/dist/library.d.mts', 'node_modules/paytwin/dist/library.d.cts']

const INEXACT = ['--exactOptionalPropertyTypes', 'false']

// It packs what `npm run build` has left in dist.
let project: Project
beforeAll(async () => {
  project = await newProject()
}, 60_000)
afterAll(() => project.remove())

describe('the package', () => {
  test('contains only the program and its documents', () => {
    const folders = project.files.map((file) => file.replace(/^(bin|docs|fixtures)\/.*/, '$1'))
    expect([...new Set(folders)].toSorted()).toEqual([
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'bin',
      'dist/LICENSES.txt',
      'dist/documentation.json.gz',
      'dist/library.cjs',
      'dist/library.d.cts',
      'dist/library.d.mts',
      'dist/library.mjs',
      'dist/main.cjs',
      'dist/stripe-js.cjs',
      'dist/stripe-js.d.cts',
      'dist/stripe-js.d.mts',
      'dist/stripe-js.mjs',
      'dist/stripe-preload.cjs',
      'dist/stripe-preload.d.cts',
      'dist/vitest.d.mts',
      'dist/vitest.mjs',
      'docs',
      'fixtures',
      'package.json',
    ])
  })

  test('contains the licences of all bundled packages', () => {
    const text = readFileSync(join(project.installed, 'dist/LICENSES.txt'), 'utf8')
    const named = [...text.matchAll(/^={80}\n(\S+) \d\S*\n={80}\n\n(.+)$/gm)].map(([, name]) => name)
    expect(named).toEqual(
      expect.arrayContaining([
        'better-sqlite3',
        'commander',
        'hono',
        'ink',
        'kysely',
        'pino',
        'react',
        'zod',
      ]),
    )
    expect(text.match(/^={80}$/gm)).toHaveLength(2 * named.length)
  })

  test('has types without imports', () => {
    const imports = ['library.d.cts', 'library.d.mts', 'vitest.d.mts'].map((file) => {
      const text = readFileSync(join(project.installed, 'dist', file), 'utf8')
      return [file, [...text.matchAll(/\b(?:from|import\() ?['"]([^'"]+)/g)].map(([, from]) => from)]
    })
    expect(Object.fromEntries(imports)).toEqual({
      'library.d.cts': [],
      'library.d.mts': ['./library.cjs'],
      'vitest.d.mts': ['vitest', './library.mjs'],
    })
  })

  test('has a command line', async () => {
    const { version } = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8'))
    const { output, status } = await project.node('node_modules/paytwin/bin/paytwin.js', '--version')
    expect({ output: output.trim(), status }).toEqual({ output: version, status: 0 })
  })

  test('serves the documentation that the build made', async () => {
    const asked = `require('paytwin').createPaytwin().then(async (twin) => {
      const texts = await Promise.all(['/docs', '/openapi.json'].map(async (path) => (await fetch(twin.url + path)).text()))
      console.log(texts.every((text) => text.includes(twin.url)), JSON.parse(texts[1]).info.version)
      await twin.close()
    })`
    const { version } = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8'))
    expect(await project.node('-e', asked)).toMatchObject({ output: `true ${version}\n`, status: 0 })
  })

  test('runs no code from the folder for temporary files, and leaves nothing there', async () => {
    const temporary = join(project.installed, 'temporary')
    const preload = join(project.installed, 'preload.cjs')
    mkdirSync(temporary)
    // Node 20 has no compile cache; later versions would create this folder.
    writeFileSync(
      preload,
      `process.env.TMPDIR = ${JSON.stringify(temporary)}
      require('node:module').enableCompileCache ??= (folder = process.env.TMPDIR + '/node-compile-cache') =>
        require('node:fs').mkdirSync(folder)`,
    )
    const { status } = await project.node(
      '--require',
      preload,
      'node_modules/paytwin/bin/paytwin.js',
      '--version',
    )
    expect([status, readdirSync(temporary)]).toEqual([0, []])
    for (const made of [temporary, preload]) rmSync(made, { recursive: true })
  })
})

describe('without the native part of SQLite', () => {
  const place = () => join(project.installed, '../better-sqlite3')
  let linked: string
  /** Replaces the package with one whose addon is missing, or is not built for this Node. */
  const install = (content: string | null) => {
    linked = readlinkSync(place())
    rmSync(place())
    mkdirSync(join(place(), 'build/Release'), { recursive: true })
    writeFileSync(join(place(), 'package.json'), '{"name":"better-sqlite3"}')
    if (content !== null) writeFileSync(join(place(), 'build/Release/better_sqlite3.node'), content)
  }
  afterEach(() => {
    rmSync(place(), { recursive: true })
    symlinkSync(linked, place())
  })

  const REMEDIES = ['npm rebuild better-sqlite3', 'pnpm approve-builds', 'apt-get install', 'xcode-select']

  test.each<[string, string | null, RegExp]>([
    ['is missing', null, /better_sqlite3\.node is missing/],
    ['does not fit', 'no library', /SQLite cannot be loaded: .*better_sqlite3\.node: .*\.$/m],
  ])('that %s, both the executable and the library say how to install it', async (_, content, why) => {
    install(content)
    const program = await project.node('node_modules/paytwin/bin/paytwin.js', 'serve', '--ephemeral')
    const library = await project.node(
      ...['--input-type=module', '-e'],
      "import { createPaytwin } from 'paytwin'; await createPaytwin().catch((error) => console.log(error.message))",
    )
    expect([program.status, library.status]).toEqual([1, 0])
    for (const { output } of [program, library]) {
      expect(output).toMatch(why)
      for (const remedy of REMEDIES) expect(output).toContain(remedy)
      expect(output).not.toMatch(/^ +at /m)
    }
  })
})

describe('installed, and with the examples of the documents', () => {
  const VITEST = ['node_modules/vitest/vitest.mjs', 'run']

  test('every example is run', () => {
    const run = [...EXAMPLES, NODE_EXAMPLE, JEST_EXAMPLE]
    expect(project.examples.filter((name) => !run.includes(name))).toEqual([])
  })

  test.each([
    ['forks', EXAMPLES],
    ['threads', IN_THREADS],
  ])(
    'it works under vitest, with workers that are %s',
    async (pool, examples) => {
      const { output, status } = await project.node(...VITEST, '--pool', pool, ...examples)
      expect(output).toMatch(`Test Files  ${examples.length} passed (${examples.length})`)
      expect(status).toBe(0)
    },
    60_000,
  )

  test('a failed test prints the timelines of its subscriptions', async () => {
    const { output, status } = await project.node(...VITEST, 'fails.spec.ts')
    expect(status).toBe(1)
    expect(output).toMatch('2 failed | 1 passed')
    expect(output.match(/^subscription sub_\w+ {2}\w+$/gm)).toEqual([expect.stringContaining('past_due')])
    expect(output).toMatch(/✗ renewal .*\n.*attempt 1 of 5 declined: generic_decline/)
  }, 60_000)

  test('it works with node:test, which ends without close()', async () => {
    const { output, status } = await project.node('--test', NODE_EXAMPLE)
    expect(output).toMatch(/^# pass 2$/m)
    expect(status).toBe(0)
  }, 60_000)

  test.each([
    ['with those of Node', ['--lib', 'es2023', '--types', 'node', '--skipLibCheck'], EXAMPLES],
    ['with those of a browser alone', ['--lib', 'es2022,dom,dom.iterable'], OWN_TYPES],
    ['with those of the target es2022', [], OWN_TYPES],
    // Node's own types contradict each other with exact optional properties.
    ['with those of Node, checked too', ['--lib', 'es2022', '--types', 'node', ...INEXACT], OWN_TYPES],
  ])(
    'its types check in a strict project, %s',
    async (_, options, files) => {
      const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext']
      const typescript = 'node_modules/typescript/bin/tsc'
      const { output } = await project.node(typescript, ...strict, '--target', 'es2022', ...options, ...files)
      expect(output).toBe('')
    },
    60_000,
  )

  test('a sandbox that is not closed does not keep the process alive', async () => {
    const { output, status, lingered } = await project.node('forgets.mjs')
    expect({ output, status }).toEqual({ output: 'forgotten\n', status: 0 })
    // Connections that are kept for the next request last four.
    expect(lingered).toBeLessThan(2.5)
  })

  test('it reads no global that tests fake, except Date, after it was loaded', async () => {
    expect(await project.node('fakes.cjs')).toMatchObject({ output: '[]\n', status: 0 })
  }, 60_000)

  test('it works in several threads of one process', async () => {
    expect(await project.node('workers.mjs')).toMatchObject({ output: '0 0 0 0\n', status: 0 })
  })
})
