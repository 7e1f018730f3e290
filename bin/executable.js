/** The start script of the single executable: runs the program from its assets, as bin/paytwin.js does from files. */
const { getAsset, getRawAsset } = require('node:sea')
const { compileFunction } = require('node:vm')
const { runScript } = require('./script.js')

// This `require` loads only Node's built-in modules, so files beside the executable have no effect.
if (process.connected && process.argv[2] === '-e') {
  // The child process in which the daemon resolves host names. Outside the executable, Node itself handles -e.
  compileFunction(process.argv[3], ['require'])(require)
} else {
  const source = getAsset('main.cjs', 'latin1')
  const cachedData = Buffer.from(getRawAsset('compiled'))
  runScript({ source, cachedData, filename: process.execPath, require })
}
