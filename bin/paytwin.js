#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)
if (existsSync(main)) {
  await import(main.href)
} else {
  process.stderr.write("error: paytwin is not built yet. Run 'npm run build' in its folder.\n")
  process.exitCode = 1
}
