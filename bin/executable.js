/** What the single executable begins with: it runs the program out of itself, as bin/paytwin.js does from files. */
const { getAsset, getRawAsset } = require('node:sea')
const { runScript } = require('./script.js')

const source = getAsset('main.cjs', 'latin1')
const cachedData = Buffer.from(getRawAsset('compiled'))
// This `require` knows nothing but Node's own modules: whatever lies around the executable is none of its business.
runScript({ source, cachedData, filename: process.execPath, require })
