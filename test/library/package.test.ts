import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newProject, type Project } from './installed.ts'

/** What vitest runs: the documents' examples, and what is in test/library/project. */
const EXAMPLES = [
  ...['readme.test.ts', 'failed-renewal.test.ts', 'trial.test.ts', 'webhook-handler.test.ts'],
  ...['oauth-app.test.ts', 'parallel.test.ts', 'types.spec.ts', 'fake-timers.spec.ts'],
]
const NODE_EXAMPLE = 'outage.test.mjs'
const JEST_EXAMPLE = 'retry.test.cjs'
const OWN_TYPES = ['node_modules/paytwin/dist/library.d.mts', 'node_modules/paytwin/dist/library.d.cts']

// It packs what `npm run build` has left in dist.
let project: Project
beforeAll(async () => {
  project = await newProject()
}, 60_000)
afterAll(() => project.remove())

describe('the package', () => {
  test('contains only the program and its documents', () => {
    const folders = project.files.map((file) => file.replace(/^(bin|fixtures)\/.*/, '$1'))
    expect([...new Set(folders)].toSorted()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'dist/LICENSES.txt',
      'dist/demo.cjs',
      'dist/library.cjs',
      'dist/library.d.cts',
      'dist/library.d.mts',
      'dist/library.mjs',
      'dist/main.cjs',
      'dist/vitest.d.mts',
      'dist/vitest.mjs',
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

  test('passes publint', async () => {
    const { messages } = await publint({ pkgDir: project.installed, pack: false, strict: true })
    expect(messages).toEqual([])
  })

  test('resolves with its types in every module resolution mode', async () => {
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(project.tarball)))
    if (analysis.types === false) throw new Error('it has no types')
    const problems = analysis.problems.map((problem) => ({
      kind: problem.kind,
      entry: 'entrypoint' in problem ? problem.entrypoint : null,
      way: 'resolutionKind' in problem ? problem.resolutionKind : null,
    }))
    // vitest itself can neither be required nor be found by the oldest way.
    expect(problems).toEqual([
      { kind: 'NoResolution', entry: './vitest', way: 'node10' },
      { kind: 'CJSResolvesToESM', entry: './vitest', way: 'node16-cjs' },
    ])
  }, 60_000)

  test('has a command line', async () => {
    const { version } = JSON.parse(readFileSync(join(project.installed, 'package.json'), 'utf8'))
    const { output, status } = await project.node('node_modules/paytwin/bin/paytwin.js', '--version')
    expect({ output: output.trim(), status }).toEqual({ output: version, status: 0 })
  })

  test('runs no code from the folder for temporary files, and leaves nothing there', async () => {
    const temporary = join(project.installed, 'temporary')
    const preload = join(project.installed, 'preload.cjs')
    mkdirSync(temporary)
    // Node 20 has no cache of its own; later ones would make this folder.
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

describe('installed, and with the examples of the documents', () => {
  const VITEST = ['node_modules/vitest/vitest.mjs', 'run']

  test('every example is run', () => {
    const run = [...EXAMPLES, NODE_EXAMPLE, JEST_EXAMPLE]
    expect(project.examples.filter((name) => !run.includes(name))).toEqual([])
  })

  test.each(['forks', 'threads'])(
    'it works under vitest, with workers that are %s',
    async (pool) => {
      const { output, status } = await project.node(...VITEST, '--pool', pool, ...EXAMPLES)
      expect(output).toMatch(`Test Files  ${EXAMPLES.length} passed (${EXAMPLES.length})`)
      expect(status).toBe(0)
    },
    60_000,
  )

  test('it works with node:test, which ends without close()', async () => {
    const { output, status } = await project.node('--test', NODE_EXAMPLE)
    expect(output).toMatch(/^# pass 2$/m)
    expect(status).toBe(0)
  }, 60_000)

  test('it works with jest, with several files in one process', async () => {
    const again = JEST_EXAMPLE.replace('.test.', '-again.test.')
    const pattern = ['--testMatch', '**/*.test.cjs', '--rootDir', '.', '--detectOpenHandles']
    const copied = `require('node:fs').copyFileSync('${JEST_EXAMPLE}', '${again}')`
    await project.node('-e', copied)
    const { output, status } = await project.node('node_modules/jest/bin/jest.js', '--runInBand', ...pattern)
    expect(output).toMatch('Tests:       4 passed, 4 total')
    expect(output).not.toMatch('open handle')
    expect(status).toBe(0)
  }, 60_000)

  test.each([
    ['with those of Node', ['--lib', 'es2023', '--types', 'node', '--skipLibCheck'], EXAMPLES],
    ['with those of a browser alone', ['--lib', 'es2023,esnext.disposable,dom,dom.iterable'], OWN_TYPES],
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

  test('it works in several threads of one process', async () => {
    expect(await project.node('workers.mjs')).toMatchObject({ output: '0 0 0 0\n', status: 0 })
  })
})
