import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { version } from '../package.json'
import { openSandbox } from './sandbox.ts'

/** `npm run openapi [FILE]`: writes what /openapi.json answers, of a daemon at its usual address. */
const [, , file = 'dist/openapi.json'] = process.argv
const sandbox = await openSandbox({
  database: ':memory:',
  version,
  url: () => 'http://127.0.0.1:4242',
})
const response = await sandbox.app.request('/openapi.json', { headers: { Host: 'localhost' } })
const description: unknown = await response.json()
await sandbox.close()
if (!response.ok) throw new Error(`no description: ${JSON.stringify(description)}`)
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${JSON.stringify(description, null, 2)}\n`)
process.stdout.write(`wrote ${file}\n`)
