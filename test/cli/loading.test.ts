import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { EXECUTABLE, temporaryFolder } from './executable.ts'

const ROOT = join(EXECUTABLE, '../..')

/** Returns the static imports of a file, transitively: source files, and packages by name. */
async function loadedWith(file: string): Promise<ReadonlySet<string>> {
  const { metafile } = await bundle([file])
  return reached(metafile, file)
}

const bundle = (entryPoints: string[]) =>
  build({
    absWorkingDir: ROOT,
    entryPoints,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
    outdir: 'dist',
    logLevel: 'error',
  })

function reached({ inputs }: Metafile, file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known
  known.add(file)
  for (const { path, kind } of inputs[file]?.imports ?? []) {
    if (kind !== 'dynamic-import') reached({ inputs, outputs: {} }, path, known)
  }
  return known
}

/** Modules that take long to load and that few commands need. */
const HEAVY = [
  '@modelcontextprotocol/sdk/server/index.js',
  'ink',
  'react/jsx-runtime',
  'yoga-layout',
  'node-cron',
  'src/dashboard/pages.ts',
  'src/http/oauth/page.tsx',
  'src/http/stripe/routes.ts',
  'src/why/why.ts',
]

describe('Heavy modules are not loaded early', () => {
  test('by the command line, and neither are the daemon and the other commands', async () => {
    const loaded = await loadedWith('src/cli/main.ts')
    const further = ['hono', 'zod', 'better-sqlite3', 'src/daemon/daemon.ts', 'src/cli/commands/clock.ts']
    expect([...HEAVY, ...further].filter((name) => loaded.has(name))).toEqual([])
    expect(loaded).toContain('commander')
  })

  test('by the daemon', async () => {
    const loaded = await loadedWith('src/daemon/daemon.ts')
    expect(HEAVY.filter((name) => loaded.has(name))).toEqual([])
    expect(loaded).toContain('hono')
  })

  test('but are part of the program', async () => {
    const { inputs } = (await bundle(['src/cli/main.ts'])).metafile
    const known = new Set(Object.values(inputs).flatMap(({ imports }) => imports.map(({ path }) => path)))
    expect(HEAVY.filter((name) => !known.has(name))).toEqual([])
  })

  test('by commands that call a daemon', async () => {
    const loaded = await loadedWith('src/cli/commands/events.ts')
    expect([...HEAVY, 'hono', 'zod', 'better-sqlite3'].filter((name) => loaded.has(name))).toEqual([])
  })
})

test('a daemon is ready before it loads costly modules of Node that it does not need yet', () => {
  const folder = temporaryFolder()
  try {
    const probe = join(folder.path, 'probe.cjs')
    writeFileSync(
      probe,
      'process.stdout.write = () => process.exit(console.error(process.moduleLoadList.join()))',
    )
    const serve = ['serve', '--ephemeral', '--port', '0', '--json', '--log-level', 'error']
    const { stderr } = spawnSync(process.execPath, ['--require', probe, EXECUTABLE, ...serve], {
      encoding: 'utf8',
    })
    const loaded = new Set(stderr.trim().replaceAll('NativeModule ', '').split(','))
    const late = ['zlib', 'https', 'perf_hooks', 'tls', 'worker_threads', 'internal/deps/undici/undici']
    expect(late.filter((name) => loaded.has(name))).toEqual([])
    expect(loaded).toContain('http')
  } finally {
    folder.remove()
  }
})

test('a command creates no text segmenter as long as it prints only ASCII', () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  const trap = join(folder.path, 'trap.cjs')
  writeFileSync(trap, "Intl.Segmenter = class { constructor() { throw new Error('a segmenter is made') } }")
  const { status, stderr } = spawnSync(process.execPath, ['--require', trap, EXECUTABLE, 'clock', '--help'])
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' })
})

test('the code that writes the documentation is not part of the program', async () => {
  const { metafile } = await bundle(['src/cli/main.ts', 'src/index.ts'])
  const shipped = Object.keys(metafile.inputs)
  expect(shipped).toEqual(expect.arrayContaining(['src/daemon/daemon.ts', 'src/cli/commands/clock.ts']))
  const ofTheBuild = /src\/build|openapi\/(story|recorder|json-schema)|marked/
  expect(shipped.filter((file) => ofTheBuild.test(file))).toEqual([])
})

describe('The code cache', () => {
  let folder: ReturnType<typeof temporaryFolder>
  beforeEach(() => {
    folder = temporaryFolder()
    for (const part of ['bin', 'dist']) cpSync(join(ROOT, part), join(folder.path, part), { recursive: true })
  })
  afterEach(() => folder.remove())

  const version = () => {
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder.path, 'bin/paytwin.js'), '--version'])
    return `${stdout}${stderr}`.trim()
  }
  const { version: expected } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const compiled = () => {
    const [file = ''] = readdirSync(join(folder.path, 'dist')).filter(
      (name) => name.startsWith('main.cjs.x') || name.startsWith('main.cjs.a'),
    )
    return join(folder.path, 'dist', file)
  }

  test('exists after a build, and is used', () => {
    expect(version()).toBe(expected)
    expect(readFileSync(compiled()).length).toBeGreaterThan(100_000)
  })

  test('is ignored if it is damaged', () => {
    writeFileSync(compiled(), readFileSync(compiled()).subarray(0, 1_000))
    expect(version()).toBe(expected)
    writeFileSync(compiled(), 'nothing of the kind')
    expect(version()).toBe(expected)
  })
})
