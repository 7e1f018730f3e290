import { arg, type Statements } from './statements.ts'
import type { FixtureNameRow } from './tables.ts'

/** The names that fixtures gave to objects. */
export class FixtureNameTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Stores the name of an object. An earlier object with the name loses it. */
  set(row: FixtureNameRow): void {
    this.#statements
      .named('set fixture name', (db) =>
        db.replaceInto('fixture_name').values({
          merchant: arg<number>('merchant'),
          kind: arg<string>('kind'),
          name: arg<string>('name'),
          object: arg<string>('object'),
        }),
      )
      .run(row)
  }

  /** Lists the ids of a kind's objects with a name, one for each merchant, in order of the merchants. */
  find(kind: string, name: string): string[] {
    return this.#statements
      .named<{ object: string }>('find fixture name', (db) =>
        db
          .selectFrom('fixture_name')
          .select('object')
          .where('kind', '=', arg<string>('kind'))
          .where('name', '=', arg<string>('name'))
          .orderBy('merchant'),
      )
      .all({ kind, name })
      .map(({ object }) => object)
  }
}
