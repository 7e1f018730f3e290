import { type Kysely, sql } from 'kysely'
import { MIGRATIONS, type Migrations } from '../../src/store/database.ts'

const statements = (...texts: readonly string[]) => ({
  up: async (db: Kysely<unknown>) => {
    for (const text of texts) await sql.raw(text).execute(db)
  },
})

/** All migrations, and two made-up ones that take a while. */
export const WITH_COPIES: Migrations = {
  ...MIGRATIONS,
  '9001-copy': statements(
    'create table copy_of_setting as select * from setting',
    'create unique index copy_by_name on copy_of_setting (name)',
  ),
  '9002-fill': statements(
    "alter table copy_of_setting add column note text not null default ''",
    'update copy_of_setting set note = value || value || value',
  ),
}
