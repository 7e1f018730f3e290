/** What the single executable begins with: it runs the program out of itself, as bin/paytwin.js does from files. */
const { getAsset, getRawAsset } = require('node:sea')
const { compileFunction } = require('node:vm')
const { runScript } = require('./script.js')

// This `require` knows nothing but Node's own modules: whatever lies around the executable is none of its business.
if (process.connected && process.argv[2] === '-e') {
  // A child process in which the daemon looks names up: what Node does itself elsewhere.
  compileFunction(process.argv[3], ['require'])(require)
} else {
  const source = getAsset('main.cjs', 'latin1')
  const cachedData = Buffer.from(getRawAsset('compiled'))
  runScript({ source, cachedData, filename: process.execPath, require })
}
