import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { licensesOf } from './bin/licenses.js'

/** Removes zod's messages in some fifty other languages, so that the program starts faster. */
const englishOnly = {
  name: 'english only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

/**
 * Removes top-level await, which a script cannot have, from Ink and its layout engine. Ink awaits its developer tools, which
 * are not installed. The engine awaits its WebAssembly module, which src/ui/layout-engine.ts does instead.
 */
const withoutWaiting = {
  name: 'without waiting',
  setup({ onLoad }) {
    onLoad({ filter: /ink[\\/]build[\\/]reconciler\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8'))
        .replace("await import('./devtools.js')", 'undefined')
        .replace('await loadPackageJson()', 'undefined'),
    }))
    onLoad({ filter: /yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace(
        'const Yoga = wrapAssembly(await loadYoga());',
        'const Yoga = {}; export const ready = loadYoga().then((lib) => Object.assign(Yoga, wrapAssembly(lib)));',
      ),
    }))
  },
}

/** Loads string-width when text is not ASCII: it creates a segmenter and large patterns while it is loaded, which takes 27 ms. */
const widthWhenNeeded = {
  name: 'width when needed',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /^string-width$/ }, async ({ importer, kind, resolveDir }) => {
      if (kind !== 'import-statement' || !importer.startsWith(join(process.cwd(), 'src'))) return undefined
      const { path } = await resolve('string-width', { kind: 'require-call', resolveDir })
      return { path: 'string-width', namespace: 'when-needed', pluginData: path }
    })
    onLoad({ filter: /./, namespace: 'when-needed' }, ({ pluginData }) => ({
      contents: `export default text => require(${JSON.stringify(pluginData)}).default(text)`,
      resolveDir: process.cwd(),
    }))
  },
}

/** Loads pino's worker threads when they are first used. The daemon's log does not use them. */
const pinoWithoutThreads = {
  name: 'pino without threads',
  setup({ onLoad }) {
    const replaceIn = async (path, replacements) => {
      let contents = await readFile(path, 'utf8')
      for (const [from, to] of replacements) {
        if (!contents.includes(from)) throw new Error(`${path} does not contain ${JSON.stringify(from)}`)
        contents = contents.replaceAll(from, to)
      }
      return { contents }
    }
    onLoad({ filter: /pino[\\/]pino\.js$/ }, ({ path }) =>
      replaceIn(path, [["module.exports.transport = require('./lib/transport')", '']]),
    )
    onLoad({ filter: /pino[\\/]lib[\\/]tools\.js$/ }, ({ path }) =>
      replaceIn(path, [
        ["const transport = require('./transport')", ''],
        ['transport({ caller,', "require('./transport')({ caller,"],
        ["const { isMainThread } = require('worker_threads')", ''],
        ['isMainThread)', "require('worker_threads').isMainThread)"],
      ]),
    )
  },
}

/**
 * Modules of Node that take milliseconds to load, and that a start does not use: they are loaded when one of their exports is
 * first read. Code that takes an export out while it is loaded itself (`const { connect } = require('tls')`) is not deferred.
 */
const deferredBuiltins = {
  name: 'deferred builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(child_process|https|tls)$/ }, ({ path, namespace }) =>
      namespace === 'deferred'
        ? { path, external: true }
        : { path: path.replace(/^(node:)?/, 'node:'), namespace: 'deferred' },
    )
    onLoad({ filter: /.*/, namespace: 'deferred' }, ({ path }) => {
      const load = `require(${JSON.stringify(path)})`
      const getters = Object.keys(process.getBuiltinModule(path)).map(
        (name) => `get ${name}() { return ${load}.${name} }`,
      )
      return { contents: `module.exports = { ${getters.join(', ')} }` }
    })
  },
}

/** The options of all scripts. */
const script = {
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  // A script, not a module, because Node 20 supports V8's code cache only for scripts.
  format: 'cjs',
  platform: 'node',
  // The scripts of jsonc-parser's `main` import each other in a way that esbuild cannot follow.
  mainFields: ['module', 'main'],
  target: 'node20',
  // Tagged templates would keep non-ASCII characters, which doubles the memory of the whole script and slows it down.
  supported: { 'template-literal': false, 'dynamic-import': false },
  charset: 'ascii',
  // LICENSES.txt contains the complete texts.
  legalComments: 'none',
  define: {
    // React is several times as fast without its development checks.
    'process.env.NODE_ENV': '"production"',
    'import.meta.url': 'here',
  },
  banner: { js: "const here = require('node:url').pathToFileURL(__filename).href;" },
  // Names are kept for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole line of code of an uncaught error.
  lineLimit: 120,
  logLevel: 'warning',
  metafile: true,
  plugins: [englishOnly, withoutWaiting, widthWhenNeeded, pinoWithoutThreads, deferredBuiltins],
}

/**
 * Makes a script whose value is the program as a function, for bin/script.js: V8 would copy the three megabytes of the script if
 * the function were put around it there. Loaded as a module of CommonJS, the script runs the program.
 */
const asFunction = {
  banner: {
    js: `((program) => (typeof module === 'undefined' ? program : program(require, module, exports, __filename)))(function (require, module, exports, __filename) { ${script.banner.js}`,
  },
  footer: { js: '})' },
}

// One script, for a fast start. Modules that only some commands need are evaluated when they are first used.
const program = await build({
  ...script,
  ...asFunction,
  entryPoints: { main: 'src/cli/main.ts' },
})

// The test library is one script for CommonJS and ES modules, because instanceof fails with two copies of a class.
const library = await build({
  ...script,
  entryPoints: { library: 'src/index.ts' },
  inject: ['src/library/real-timers.ts'],
})
await writeFile(
  'dist/library.mjs',
  `import { createRequire } from 'node:module'
export const { createPaytwin, RequestRefused, SignatureInvalid, verifyWebhook } = createRequire(import.meta.url)('./library.cjs')
`,
)
const fixture = await build({
  entryPoints: { vitest: 'src/library/vitest.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['vitest'],
  metafile: true,
  plugins: [
    {
      name: 'the one library',
      setup({ onResolve }) {
        onResolve({ filter: /^\.\/create\.ts$/ }, () => ({ path: './library.mjs', external: true }))
      },
    },
  ],
})

// Loaded into applications by NODE_OPTIONS, so it has no dependencies and is small.
const preload = await build({
  entryPoints: { 'stripe-preload': 'src/preload/stripe.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  metafile: true,
})
await writeFile('dist/stripe-preload.d.cts', 'export {}\n')

// Loaded into pages in place of Stripe.js: as a module, by require, or as a script that sets window.Stripe.
const inPages = { bundle: true, platform: 'browser', target: 'es2022', metafile: true }
const stripeJs = [
  await build({
    ...inPages,
    entryPoints: { 'stripe-js': 'src/stripe-js/index.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
  }),
  await build({
    ...inPages,
    entryPoints: { 'stripe-js': 'src/stripe-js/index.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'iife',
    globalName: 'stripeJs',
    footer: {
      js: "if (typeof exports === 'object') module.exports = stripeJs\nelse window.Stripe = stripeJs.Stripe",
    },
  }),
]

// Its types: the compiler's declarations in one file, with resource types from the OpenAPI document.
const emitted = await mkdtemp(join(tmpdir(), 'paytwin-declarations-'))
try {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  execFileSync(process.execPath, [
    join(dirname(compiler), 'bin/tsc'),
    ...['-p', 'tsconfig.declarations.json', '--outDir', emitted],
  ])
  await build({ ...script, entryPoints: ['src/build/declarations.ts'] })
  execFileSync(process.execPath, ['dist/declarations.cjs', emitted, 'dist'])
} finally {
  await rm(emitted, { recursive: true })
}

// The OpenAPI document and the pages at /docs, which a daemon serves as they are.
await build({ ...script, entryPoints: ['src/build/documentation.ts'] })
const { makeDocumentation } = createRequire(import.meta.url)('./dist/documentation.cjs')
const documentation = JSON.stringify(await makeDocumentation())
await writeFile('dist/documentation.json.gz', gzipSync(documentation, { level: 9 }))

const all = [program, library, fixture, preload, ...stripeJs].map(({ metafile }) => metafile)
await writeFile('dist/LICENSES.txt', licensesOf(all.flatMap(({ inputs }) => Object.keys(inputs))))
const made = new Set([
  ...all.flatMap(({ outputs }) => Object.keys(outputs)),
  ...[
    'documentation.json.gz',
    'LICENSES.txt',
    'library.mjs',
    'library.d.cts',
    'library.d.mts',
    'stripe-js.d.cts',
    'stripe-js.d.mts',
    'stripe-preload.d.cts',
    'vitest.d.mts',
  ].map((file) => `dist/${file}`),
])

// Files of an earlier build are deleted last, so that a failed build deletes nothing.
for (const file of readdirSync('dist')) {
  if (!made.has(`dist/${file}`)) rmSync(join('dist', file), { recursive: true })
}
// bin/script.js reads each byte as a character.
if (/[^\0-\x7f]/.test(await readFile('dist/main.cjs', 'utf8'))) throw new Error('dist/main.cjs is not ASCII')
const options = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYTWIN_'))
execFileSync(process.execPath, ['bin/compile.js'], { env: Object.fromEntries(options) })
