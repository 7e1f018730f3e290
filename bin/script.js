const { readFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { Script } = require('node:vm')

const MAIN = join(__dirname, '../dist/main.cjs')

/** What V8 compiled of the script before, which it takes in a fifth of the time; each V8 has its own. */
const COMPILED = `${MAIN}.${process.arch}-${process.versions.v8}`

/** Runs the program. */
function run() {
  const cachedData = readIfThere(COMPILED)
  if (cachedData) return void runMain(cachedData)
  // Node's own cache is not turned on here: by default it is in a folder for temporary files, where other users may put what is
  // run then. Whoever wants one sets NODE_COMPILE_CACHE.
  require(MAIN)
}

/** Runs it as `require` would. @returns the script, which can tell what V8 compiled of it */
const runMain = (cachedData) =>
  runScript({
    source: readFileSync(MAIN, 'latin1'),
    cachedData,
    filename: MAIN,
    require: createRequire(MAIN),
  })

/** Runs a script, whose value is a function that takes what a module of CommonJS is given. @returns the script */
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
