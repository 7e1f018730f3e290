import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { licensesOf } from './bin/licenses.js'

/** zod carries its messages in some fifty languages. paytwin speaks English, and starts faster without the others. */
const englishOnly = {
  name: 'english only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

/**
 * Ink and its layout engine wait for something while they are loaded, which a script cannot: Ink for a program to look into it
 * by, which is not installed here; the engine for its WebAssembly, which src/ui/layout-engine.ts waits for instead.
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

/** Loads the part of pino that writes in worker threads when it is called, which the daemon's log does not do. */
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

/** What all scripts have in common. */
const script = {
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  // A script rather than a module: only for scripts does Node 20 take what V8 has compiled before.
  format: 'cjs',
  platform: 'node',
  // The scripts of jsonc-parser's `main` import each other in a way that esbuild cannot follow.
  mainFields: ['module', 'main'],
  target: 'node20',
  // Templates with tags would keep what is not ASCII, and take the whole script with them: twice the memory, and slower.
  supported: { 'template-literal': false, 'dynamic-import': false },
  charset: 'ascii',
  // LICENSES.txt has them whole.
  legalComments: 'none',
  define: {
    // React is several times as fast without its checks for development.
    'process.env.NODE_ENV': '"production"',
    'import.meta.url': 'here',
  },
  banner: { js: "const here = require('node:url').pathToFileURL(__filename).href;" },
  // Names stay as they are, for the sake of stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  // Node prints the whole line in which an error was thrown that nobody caught.
  lineLimit: 120,
  logLevel: 'warning',
  metafile: true,
  plugins: [englishOnly, withoutWaiting, pinoWithoutThreads, deferredBuiltins],
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

// One script, for a quick start: what only some commands need lies in it unread until it is asked for.
const program = await build({
  ...script,
  ...asFunction,
  entryPoints: ['src/cli/main.ts', 'src/cli/demo.ts'],
})

// The test library is one script too, whoever asks for it: two copies of a class would not know each other.
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

// Its types: what the compiler declares, in one file, with the resources as the API's description has them.
const emitted = await mkdtemp(join(tmpdir(), 'paytwin-declarations-'))
try {
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  execFileSync(process.execPath, [
    join(dirname(compiler), 'bin/tsc'),
    ...['-p', 'tsconfig.declarations.json', '--outDir', emitted],
  ])
  await build({ ...script, entryPoints: ['src/declarations.ts'] })
  execFileSync(process.execPath, ['dist/declarations.cjs', emitted, 'dist'])
} finally {
  await rm(emitted, { recursive: true })
}
const all = [program, library, fixture].map(({ metafile }) => metafile)
await writeFile('dist/LICENSES.txt', licensesOf(all.flatMap(({ inputs }) => Object.keys(inputs))))
const made = new Set([
  ...all.flatMap(({ outputs }) => Object.keys(outputs)),
  ...['LICENSES.txt', 'library.mjs', 'library.d.cts', 'library.d.mts', 'vitest.d.mts'].map(
    (file) => `dist/${file}`,
  ),
])

// What an earlier build left goes only now, so that a build that fails takes nothing away.
for (const file of readdirSync('dist')) {
  if (!made.has(`dist/${file}`)) rmSync(join('dist', file), { recursive: true })
}
// bin/script.js takes each byte for a character.
if (/[^\0-\x7f]/.test(await readFile('dist/main.cjs', 'utf8'))) throw new Error('dist/main.cjs is not ASCII')
const options = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYTWIN_'))
execFileSync(process.execPath, ['bin/compile.js'], { env: Object.fromEntries(options) })
