import { readFileSync, writeFileSync } from 'node:fs'
import { commandReference } from './commands.ts'
import { makeDescription } from './documentation.ts'
import { apiReference } from './reference/reference.ts'
import { stripeReference } from './stripe-reference.ts'

/**
 * `npm run references`: writes docs/commands.md from the help of the commands, docs/api.md from the OpenAPI document, and the
 * list in docs/stripe.md.
 */
const { document } = await makeDescription('http://127.0.0.1:4242')
const REFERENCES = {
  'docs/commands.md': await commandReference(readFileSync('docs/commands.md', 'utf8')),
  'docs/api.md': apiReference(document),
  'docs/stripe.md': stripeReference(readFileSync('docs/stripe.md', 'utf8')),
}
for (const [file, text] of Object.entries(REFERENCES)) {
  writeFileSync(file, text)
  process.stdout.write(`wrote ${file}\n`)
}
