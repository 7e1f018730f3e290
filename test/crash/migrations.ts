import type { Migration, Migrations } from '../../src/store/migration.ts'
import { MIGRATIONS } from '../../src/store/migrations.ts'

const statements = (...texts: readonly string[]): Migration => ({
  up: (database) => {
    for (const text of texts) database.exec(text)
  },
})

/** Only the first schema. */
export const FIRST: Migrations = { '0001-first': MIGRATIONS['0001-first'] as Migration }

/** All migrations, and two invented ones that take a while. */
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
