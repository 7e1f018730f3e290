import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/** zod carries its messages in some fifty languages. paytwin speaks English, and starts faster without the others. */
const englishOnly = {
  name: 'english only',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

/** Ink can be looked into by a program for its own development, which is not installed here. */
const withoutDevtools = {
  name: 'without devtools',
  setup({ onLoad }) {
    onLoad({ filter: /ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: '' }))
  },
}

// One bundle, for a quick start; what only some commands need (the daemon) lies in chunks of its own.
const { metafile } = await build({
  entryPoints: ['src/cli/main.ts', 'src/cli/demo.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Native: it stays where npm has compiled it.
  external: ['better-sqlite3'],
  // React is several times as fast without its checks for development.
  define: { 'process.env.NODE_ENV': '"production"' },
  // Names stay as they are, for the sake of stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  metafile: true,
  plugins: [englishOnly, withoutDevtools],
  // Bundled CommonJS packages call require.
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module';const require = makeRequire(import.meta.url);",
  },
})

// What an earlier build left goes only now, so that a build that fails takes nothing away.
for (const file of readdirSync('dist')) {
  if (!(`dist/${file}` in metafile.outputs)) rmSync(join('dist', file), { recursive: true })
}
