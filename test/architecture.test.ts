import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
const MAX_LINES = 300

type Import = {
  readonly from: string
  /** A path within the repository, or a package's name. */
  readonly to: string
  readonly isType: boolean
  readonly isDynamic: boolean
}

type Row = {
  /** The imports that the layer allows: paths within src, by prefix. */
  readonly paths: readonly string[]
  readonly packages: readonly string[]
  /** What they may know the types of, beside that. */
  readonly types?: readonly string[]
}

/** The layers, from the inside out. A folder that is not here has no place yet. */
const LAYERS: Readonly<Record<string, Row>> = {
  'src/text/': { paths: ['src/text/'], packages: ['fastest-levenshtein', 'jsonc-parser', 'node:fs'] },
  'src/core/': { paths: ['src/core/'], packages: [] },
  'src/timeline/': {
    paths: ['src/timeline/', 'src/core/', 'src/text/'],
    packages: [],
    types: ['src/http/schemas/'],
  },
  'src/why/': { paths: ['src/why/', 'src/core/'], packages: [] },
  'src/store/': { paths: ['src/store/', 'src/core/'], packages: ['better-sqlite3', 'kysely', 'node:'] },
  'src/engine/': { paths: ['src/engine/', 'src/store/', 'src/core/'], packages: ['node:crypto'] },
  'src/webhooks/': {
    paths: ['src/webhooks/', 'src/engine/', 'src/store/', 'src/core/', 'src/text/'],
    packages: ['ipaddr.js', 'node:'],
  },
  'src/http/': {
    paths: ['src/http/', 'src/why/', 'src/engine/', 'src/core/', 'src/text/'],
    packages: ['hono', 'zod', 'node:crypto', 'node:events'],
    types: ['stripe', 'node:http'],
  },
  'src/dashboard/': {
    paths: [
      'src/dashboard/',
      'src/http/dashboard/',
      'src/http/html/',
      'src/timeline/',
      'src/core/',
      'src/text/',
      'fixtures/',
    ],
    packages: ['hono'],
    types: ['src/http/', 'src/client/types.ts'],
  },
  'src/client/': { paths: ['src/client/'], packages: ['eventsource-parser', 'node:'], types: ['src/http/'] },
  'src/ui/': {
    paths: ['src/ui/', 'src/timeline/', 'src/client/', 'src/core/', 'src/text/'],
    packages: ['ink', 'yoga-layout', 'react', 'string-width'],
  },
  'src/cli/': {
    paths: [
      ...['src/cli/', 'src/client/', 'src/ui/', 'src/timeline/', 'src/core/', 'src/text/'],
      ...['src/webhooks/post.ts', 'src/webhooks/signature.ts', 'src/webhooks/time-limit.ts', 'package.json'],
      ...['src/daemon/folder-identity.ts', 'src/daemon/joined-request.ts', 'src/http/bytes.ts'],
      'src/store/own-files.ts',
    ],
    packages: ['commander', 'zod', '@modelcontextprotocol/sdk', 'node:'],
    types: ['src/daemon/daemon.ts'],
  },
  'src/library/': {
    paths: [
      ...[
        'src/library/',
        'src/daemon/sandbox.ts',
        'src/daemon/listener.ts',
        'src/daemon/ending.ts',
        'package.json',
      ],
      ...['src/timeline/', 'src/webhooks/', 'src/engine/', 'src/core/', 'src/text/'],
    ],
    packages: ['node:', 'vitest'],
    types: ['src/http/'],
  },
  'src/daemon/': {
    paths: [
      ...[
        'src/daemon/',
        'src/dashboard/',
        'src/http/',
        'src/webhooks/',
        'src/engine/',
        'src/store/',
        'src/core/',
        'src/text/',
      ],
      'package.json',
    ],
    packages: ['@hono/node-server', 'hono', 'node-cron', 'pino', 'node:'],
  },
  // It is loaded into applications, so it imports nothing of paytwin.
  'src/preload/': { paths: ['src/preload/'], packages: [], types: ['node:'] },
  // It is loaded into pages.
  'src/stripe-js/': { paths: ['src/stripe-js/'], packages: [] },
  // The steps of the build describe all other layers.
  'src/build/': { paths: ['src/', 'package.json'], packages: ['zod', 'marked', 'hono/html', 'node:'] },
}

/** The one import that no row allows: the command that starts the daemon loads it when it runs. */
const isServing = ({ from, to, isDynamic }: Import) =>
  from === 'src/cli/commands/serve.ts' && to === 'src/daemon/daemon.ts' && isDynamic

const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => join('src', path))
  .toSorted()

const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const IMPORTS = SOURCES.flatMap(importsOf)

function importsOf(from: string): Import[] {
  const text = textOf(from)
  const statements = text.matchAll(/^(?:import|export)\b(?<type> type\b)?[^'"]*?\bfrom '(?<to>[^']+)'/gm)
  const effects = text.matchAll(/^import '(?<to>[^']+)'/gm)
  const dynamic = text.matchAll(/\bimport\(\s*'(?<to>[^']+)'\s*\)/g)
  const place = (to = '') => (to.startsWith('.') ? relative(ROOT, resolve(ROOT, dirname(from), to)) : to)
  const isType = (names: Record<string, string> | undefined) => names?.type !== undefined
  return [
    ...[...statements].map(({ groups }) => ({ to: groups?.to, isType: isType(groups), isDynamic: false })),
    ...[...effects].map(({ groups }) => ({ to: groups?.to, isType: false, isDynamic: false })),
    ...[...dynamic].map(({ groups }) => ({ to: groups?.to, isType: false, isDynamic: true })),
  ].map(({ to, ...how }) => ({ from, to: place(to), ...how }))
}

const isWithin = (path: string) => /^(src|fixtures)\//.test(path) || path === 'package.json'
const beginsWithOneOf = (path: string, beginnings: readonly string[]) =>
  beginnings.some((beginning) => path.startsWith(beginning))
/** `hono` stands for `hono/streaming` too, `node:` for all of Node. */
const isPackageOf = (name: string, packages: readonly string[]) =>
  packages.some((allowed) =>
    allowed.endsWith(':') ? name.startsWith(allowed) : name === allowed || name.startsWith(`${allowed}/`),
  )
const written = ({ from, to, isType }: Import) => `${from} imports ${isType ? 'a type of ' : ''}${to}`

describe('layers', () => {
  test('every folder has a row in the table', () => {
    const folders = SOURCES.filter((path) => path.split('/').length > 2)
    expect(folders.filter((path) => !beginsWithOneOf(path, Object.keys(LAYERS)))).toEqual([])
  })

  test.each(Object.entries(LAYERS))(
    '%s imports only what its row allows',
    (layer, { paths, packages, types = [] }) => {
      const strangers = IMPORTS.filter(({ from }) => from.startsWith(layer))
        .filter(({ to }) => (isWithin(to) ? !beginsWithOneOf(to, paths) : !isPackageOf(to, packages)))
        .filter(({ to, isType }) => !(isType && beginsWithOneOf(to, types)))
        .filter((found) => !isServing(found))
      expect(strangers.map(written)).toEqual([])
    },
  )

  test('nothing but the command line, the terminal UI and what writes the references imports these', () => {
    const own = ['src/cli/', 'src/ui/', 'src/build/commands.ts']
    const strangers = IMPORTS.filter(({ from }) => !beginsWithOneOf(from, own)).filter(({ to }) =>
      beginsWithOneOf(to, ['src/cli/', 'src/ui/']),
    )
    expect(strangers.map(written)).toEqual([])
  })

  test('nothing but its entry and the step of the build that describes it imports the library', () => {
    const own = ['src/library/', 'src/index.ts', 'src/build/declarations.ts']
    const strangers = IMPORTS.filter(({ from }) => !beginsWithOneOf(from, own)).filter(
      ({ to }) => to.startsWith('src/library/') || to === 'src/index.ts',
    )
    expect(strangers.map(written)).toEqual([])
  })

  test('only the dialect of Stripe imports types of its SDK, and nothing of its code', () => {
    const isOfStripe = ({ from }: Import) => from.startsWith('src/http/stripe/')
    const strangers = IMPORTS.filter(({ to }) => to === 'stripe').filter(
      (found) => !found.isType || !isOfStripe(found),
    )
    expect(strangers.map(written)).toEqual([])
  })

  test('the dialect of Stripe is loaded at its first use', () => {
    const strangers = IMPORTS.filter(
      ({ from, to, isDynamic }) =>
        to.startsWith('src/http/stripe/') && !from.startsWith('src/http/stripe/') && !isDynamic,
    ).filter(({ from }) => !from.startsWith('src/build/'))
    expect(strangers.map(written)).toEqual([])
  })

  test('the imports are found', () => {
    const found = IMPORTS.map(({ from, to }) => `${from} ${to}`)
    expect(found).toContain('src/core/dunning.ts src/core/calendar.ts')
    expect(found).toContain('src/store/database.ts better-sqlite3')
    expect(found).toContain('src/core/kinds.ts src/core/charge.ts')
    expect(IMPORTS.length).toBeGreaterThan(SOURCES.length)
  })
})

test('no file imports itself by way of others, types included', () => {
  const next = new Map(
    SOURCES.map((path) => [path, IMPORTS.filter(({ from }) => from === path).map(({ to }) => to)]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const walk = (path: string, trail: readonly string[]) => {
    const start = trail.indexOf(path)
    if (start !== -1) cycles.push([...trail.slice(start), path].join(' → '))
    if (start !== -1 || done.has(path)) return
    for (const to of next.get(path) ?? []) walk(to, [...trail, path])
    done.add(path)
  }
  for (const path of SOURCES) walk(path, [])
  expect(cycles).toEqual([])
})

describe('habits', () => {
  /** Lines of source that match, with their places. */
  const linesWith = (pattern: RegExp, paths: readonly string[] = SOURCES) =>
    paths.flatMap((path) =>
      textOf(path)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    )
  const without = (...exceptions: string[]) => SOURCES.filter((path) => !beginsWithOneOf(path, exceptions))
  const isCode = (line: string) => !/^\S+ (\*|\/\/|\/\*)/.test(line)

  test('only the clock reads the time, and only ids and nonces are random', () => {
    // The command line reads the real time to sign forwarded events.
    const outside = without(
      'src/engine/machine/clock.ts',
      'src/engine/machine/ids.ts',
      'src/client/proof.ts',
      'src/cli/time.ts',
    )
    const pattern =
      /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.timeOrigin\b|\bMath\.random\b|\brandom(Bytes|UUID|Int)\b|\bgetRandomValues\b/
    expect(linesWith(pattern, outside).filter(isCode)).toEqual([])
  })

  test('only the clock, and what is shown to people, measures time', () => {
    const outside = without(
      'src/engine/machine/clock.ts',
      'src/library/real-timers.ts',
      'src/cli/',
      'src/ui/',
    )
    expect(linesWith(/\bperformance\.now\b|\bhrtime\b/, outside).filter(isCode)).toEqual([])
  })

  test('the core waits for nothing and touches nothing of the process', () => {
    const core = SOURCES.filter((path) => path.startsWith('src/core/'))
    const pattern =
      /\basync\b|\bawait\b|\bPromise\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\.|\bconsole\./
    expect(linesWith(pattern, core).filter(isCode)).toEqual([])
  })

  test('no code compares statuses with words: the facts of a status are in the table beside its transitions', () => {
    // Tokens of OAuth have no table of transitions.
    const layers = without('src/engine/access/', 'src/cli/', 'src/timeline/', 'src/ui/', 'src/client/')
    const words = [
      ...['active', 'trialing', 'past_due', 'unpaid', 'incomplete', 'incomplete_expired', 'paused'],
      ...[
        'draft',
        'open',
        'uncollectible',
        'requires_payment_method',
        'requires_confirmation',
        'requires_action',
      ],
    ]
    expect(linesWith(new RegExp(`status [!=]== '(${words.join('|')})'`), layers)).toEqual([])
  })

  test('there are no default exports', () => {
    expect(linesWith(/^export default\b|\bas default\b/)).toEqual([])
  })

  test('zod is imported as a namespace, so that the build can drop unused parts', () => {
    expect(linesWith(/^import (type )?\{.*\} from 'zod'/)).toEqual([])
  })

  test('there are no barrels but the library’s own', () => {
    expect(linesWith(/^export \* from/, without('src/index.ts'))).toEqual([])
  })

  test(`no file is longer than ${MAX_LINES} lines`, () => {
    // Statements of the schema are generated.
    const lengths = without('src/store/newest-schema.ts').map((path) => ({
      path,
      lines: textOf(path).split('\n').length - 1,
    }))
    expect(lengths.filter(({ lines }) => lines > MAX_LINES)).toEqual([])
  })
})
