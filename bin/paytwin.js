#!/usr/bin/env node
const { existsSync } = require('node:fs')
const { MAIN, run } = require('./script.js')

if (existsSync(MAIN)) {
  run()
} else {
  process.stderr.write("error: paytwin is not built yet. Run 'npm run build' in its folder.\n")
  process.exitCode = 1
}
