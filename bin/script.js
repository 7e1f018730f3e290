const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { Script } = require('node:vm')

const MAIN = join(__dirname, '../dist/main.cjs')

/** V8's code cache of the script, which loads in a fifth of the time. Each version of V8 has its own. */
const COMPILED = `${MAIN}.${process.arch}-${process.versions.v8}`

/** Runs the program. */
function run() {
  const cachedData = readIfThere(COMPILED)
  if (cachedData) return void runMain(cachedData)
  // Node's own compile cache is not enabled: its default is a folder for temporary files, where other users could plant code.
  // Users can enable it with NODE_COMPILE_CACHE.
  require(MAIN)
}

/** Runs the program as `require` would. @returns the script, which can create a code cache */
const runMain = (cachedData) =>
  runScript({
    source: readFileSync(MAIN, 'latin1'),
    cachedData,
    filename: MAIN,
    require: createRequire(MAIN),
  })

/** Runs a script whose value is a CommonJS module as a function. @returns the script */
function runScript({ source, cachedData, filename, require }) {
  const script = new Script(source, { filename, ...(cachedData && { cachedData }) })
  const module = { exports: {} }
  script.runInThisContext()(require, module, module.exports, filename)
  return script
}

function readIfThere(file) {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

module.exports = { MAIN, COMPILED, run, runMain, runScript }
