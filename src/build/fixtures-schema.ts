import { writeFileSync } from 'node:fs'
import { fixturesJsonSchema } from '../http/fixtures/json-schema.ts'

/** `npm run fixtures-schema`: writes fixtures/schema.json, which editors use to complete fixtures. */
writeFileSync('fixtures/schema.json', `${JSON.stringify(fixturesJsonSchema(), null, 2)}\n`)
process.stdout.write('wrote fixtures/schema.json\n')
