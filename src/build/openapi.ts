import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDescription } from './documentation.ts'

/** `npm run openapi [FILE]`: writes the OpenAPI document. */
const [, , file = 'dist/openapi.json'] = process.argv
const { document } = await makeDescription('http://127.0.0.1:4242')
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
process.stdout.write(`wrote ${file}\n`)
