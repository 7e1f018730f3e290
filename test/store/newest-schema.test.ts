import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'

/** Everything that SQLite knows of the schema, in its order, which decides between indexes that are equally good. */
async function schemaAfter(migrations: typeof MIGRATIONS) {
  const database = await openDatabase(':memory:', 'normal', migrations)
  try {
    const pragma = (name: string) => database.pragma(name, { simple: true })
    return {
      version: pragma('user_version'),
      application: pragma('application_id'),
      schema: database.prepare('select type, name, tbl_name, sql from sqlite_schema order by rowid').all(),
    }
  } finally {
    database.close()
  }
}

test('a new database has the schema that the migrations make (npm run schema writes it)', async () => {
  const stepByStep = await schemaAfter({ ...MIGRATIONS })
  expect(stepByStep.schema.length).toBeGreaterThan(90)
  expect(await schemaAfter(MIGRATIONS)).toEqual(stepByStep)
})

test('each file of a migration is in the list (npm run schema writes it)', () => {
  const files = readdirSync(new URL('../../src/store/migrations', import.meta.url)).toSorted()
  expect(Object.keys(MIGRATIONS).map((name) => `${name}.ts`)).toEqual(files)
})
