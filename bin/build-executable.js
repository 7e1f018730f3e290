/**
 * `npm run build:executable [-- FILE]`: builds one file (default dist/executable/paytwin) with this Node, the program, its V8
 * code cache, its documentation and the native part of SQLite. The licences are written to a file beside it.
 */
const { execFileSync, spawn } = require('node:child_process')
const { once } = require('node:events')
const {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs')
const { dirname, join, resolve } = require('node:path')
const { performance } = require('node:perf_hooks')
const { buildSync } = require('esbuild')
const { licenseOfNode } = require('./licenses.js')
const { COMPILED, MAIN } = require('./script.js')

/** The marker in Node's executable that shows whether a program was injected. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const STARTS = 5
const LICENSES = join(__dirname, '../dist/LICENSES.txt')

async function build(target) {
  checkRequirements()
  mkdirSync(dirname(target), { recursive: true })
  // Built beside the target and renamed, so that a running executable is not changed.
  const work = mkdtempSync(`${target}.unfinished-`)
  try {
    const executable = join(work, 'paytwin')
    copyFileSync(process.execPath, executable)
    chmodSync(executable, 0o755)
    inject(executable, makeBlob(work))
    renameSync(executable, target)
    writeFileSync(`${target}.LICENSES.txt`, [readFileSync(LICENSES, 'utf8'), licenseOfNode()].join('\n'))
  } finally {
    rmSync(work, { recursive: true })
  }
  await report(target)
}

function checkRequirements() {
  if (process.platform !== 'linux') {
    throw new Error(`it can be built only on Linux, not on ${process.platform}.`)
  }
  if (!readFileSync(process.execPath).includes(FUSE)) {
    throw new Error(`${process.execPath} does not support single executables. Use a Node from nodejs.org.`)
  }
  if (!existsSync(COMPILED)) throw new Error("run 'npm run build' first, with the same Node.")
}

/** Creates the blob to inject: the start script, and the rest as assets. @returns its file */
function makeBlob(work) {
  const [main, output, config] = ['main.js', 'blob', 'config.json'].map((name) => join(work, name))
  buildSync({
    entryPoints: [join(__dirname, 'executable.js')],
    outfile: main,
    bundle: true,
    platform: 'node',
    logLevel: 'warning',
  })
  const assets = {
    'main.cjs': MAIN,
    compiled: COMPILED,
    'documentation.json.gz': join(dirname(MAIN), 'documentation.json.gz'),
    'stripe-preload.cjs': join(dirname(MAIN), 'stripe-preload.cjs'),
    'better_sqlite3.node': require.resolve('better-sqlite3/build/Release/better_sqlite3.node'),
  }
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, assets }))
  runNode('--experimental-sea-config', config)
  return output
}

function inject(executable, blob) {
  const postject = join(dirname(require.resolve('postject')), 'cli.js')
  runNode(postject, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE)
}

/** Runs Node, and shows its output only if it fails: postject prints harmless warnings about section names. */
function runNode(...args) {
  execFileSync(process.execPath, args, { stdio: 'pipe' })
}

/** Prints the size of the executable, and the time from the call to the daemon's ready line. */
async function report(target) {
  const times = []
  while (times.length < STARTS) times.push(await millisecondsToStart(target))
  const [least, median, most] = [0, STARTS >> 1, STARTS - 1].map(
    (index) => times.sort((a, b) => a - b)[index],
  )
  const megabytes = (statSync(target).size / 1e6).toFixed(1)
  process.stdout.write(
    `${target}: ${megabytes} MB with Node ${process.versions.node}; a daemon is ready in ${median} ms (${least}–${most})\n`,
  )
}

async function millisecondsToStart(target) {
  const env = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYTWIN_'))
  const begin = performance.now()
  const child = spawn(target, ['serve', '--ephemeral', '--port', '0', '--json', '--log-level', 'error'], {
    env: Object.fromEntries(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const first = await Promise.race([once(child.stdout, 'data'), closed.then(() => undefined)])
  if (!first) throw new Error(`${target} was built, but its daemon does not start`)
  const taken = Math.round(performance.now() - begin)
  child.kill()
  await closed
  return taken
}

build(resolve(process.argv[2] ?? join(__dirname, '../dist/executable/paytwin'))).catch((error) => {
  process.stderr.write(`error: no single executable: ${error.message}\n`)
  process.exitCode = 1
})
