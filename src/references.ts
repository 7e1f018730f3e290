import { writeFileSync } from 'node:fs'
import { commandReference } from './cli/reference.ts'
import { apiDescription } from './description.ts'
import { apiReference } from './http/reference/reference.ts'

/** `npm run references`: writes docs/commands.md from the commands, and docs/api.md from the OpenAPI document. */
const REFERENCES = {
  'docs/commands.md': await commandReference(),
  'docs/api.md': apiReference(await apiDescription()),
}
for (const [file, text] of Object.entries(REFERENCES)) {
  writeFileSync(file, text)
  process.stdout.write(`wrote ${file}\n`)
}
