import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { apiDescription } from './description.ts'

/** `npm run openapi [FILE]`: writes the OpenAPI document. */
const [, , file = 'dist/openapi.json'] = process.argv
const description = await apiDescription()
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${JSON.stringify(description, null, 2)}\n`)
process.stdout.write(`wrote ${file}\n`)
