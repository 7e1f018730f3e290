/**
 * `npm run build:executable [-- FILE]`: one file with Node, the program, what V8 compiled of it and the native part of SQLite
 * (dist/executable/paytwin if no other is named), and beside it the licences of all that. The Node within is the one that runs this.
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

/** Where Node looks whether something was put into it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const STARTS = 5
const LICENSES = join(__dirname, '../dist/LICENSES.txt')

async function build(target) {
  refuseWhatCannotBe()
  mkdirSync(dirname(target), { recursive: true })
  // Beside the target, to take its place in one step: whoever runs the one of before keeps it.
  const work = mkdtempSync(`${target}.unfinished-`)
  try {
    const executable = join(work, 'paytwin')
    copyFileSync(process.execPath, executable)
    chmodSync(executable, 0o755)
    putInto(executable, makeBlob(work))
    renameSync(executable, target)
    writeFileSync(`${target}.LICENSES.txt`, [readFileSync(LICENSES, 'utf8'), licenseOfNode()].join('\n'))
  } finally {
    rmSync(work, { recursive: true })
  }
  await report(target)
}

function refuseWhatCannotBe() {
  if (process.platform !== 'linux') {
    throw new Error(`it is for Linux, and to be built there; this is ${process.platform}.`)
  }
  if (!readFileSync(process.execPath).includes(FUSE)) {
    throw new Error(`nothing can be put into ${process.execPath}. Take a Node from nodejs.org.`)
  }
  if (!existsSync(COMPILED)) throw new Error("run 'npm run build' before, with this same Node.")
}

/** What goes into Node: the beginning, and the rest as assets. @returns its file */
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
    'better_sqlite3.node': require.resolve('better-sqlite3/build/Release/better_sqlite3.node'),
  }
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true, assets }))
  runNode('--experimental-sea-config', config)
  return output
}

function putInto(executable, blob) {
  const postject = join(dirname(require.resolve('postject')), 'cli.js')
  runNode(postject, executable, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE)
}

/** What it writes is shown only when it fails: postject warns of section names, which Node does without. */
function runNode(...args) {
  execFileSync(process.execPath, args, { stdio: 'pipe' })
}

/** Says how large it is, and how long a daemon of it takes from the call to its ready line. */
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
