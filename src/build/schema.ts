import { writeFileSync } from 'node:fs'
import { openDatabase } from '../store/database.ts'
import { MIGRATIONS } from '../store/migrations.ts'

/** `npm run schema`: runs all migrations on an empty database, and writes the resulting schema to src/store/newest-schema.ts. */

// A copy of MIGRATIONS, because openDatabase uses the existing newest-schema.ts if it gets MIGRATIONS itself.
const database = await openDatabase(':memory:', 'normal', { ...MIGRATIONS })
const statements = database
  .prepare<[], string>('select sql from sqlite_schema where sql is not null order by rowid')
  .pluck()
  .all()
database.close()
writeFileSync(
  'src/store/newest-schema.ts',
  `/**
 * The schema after all migrations, written by \`npm run schema\`. A new database is created with it, which takes a quarter of
 * the time of the migrations.
 */
export const NEWEST_SCHEMA = \`
${statements.map((statement) => `${statement};\n`).join('')}\`
`,
)
process.stdout.write('wrote src/store/newest-schema.ts\n')
