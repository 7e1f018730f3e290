import { writeFileSync } from 'node:fs'
import { MIGRATIONS, openDatabase } from './store/database.ts'

/** `npm run schema`: writes src/store/newest-schema.ts, the schema that all migrations make of an empty database. */

// A copy of the migrations: for the original, the schema that is to be written would be taken instead.
const database = await openDatabase(':memory:', 'normal', { ...MIGRATIONS })
const statements = database
  .prepare<[], string>('select sql from sqlite_schema where sql is not null order by rowid')
  .pluck()
  .all()
database.close()
writeFileSync(
  'src/store/newest-schema.ts',
  `/**
 * The schema that all migrations make of an empty database, written by \`npm run schema\`. A new database gets it at once, in a
 * quarter of the time that the migrations take one after another.
 */
export const NEWEST_SCHEMA = \`
${statements.map((statement) => `${statement};\n`).join('')}\`
`,
)
process.stdout.write('wrote src/store/newest-schema.ts\n')
