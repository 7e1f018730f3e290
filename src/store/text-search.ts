import type Sqlite from 'better-sqlite3'
import { type RawBuilder, sql } from 'kysely'

/** SQLite searches texts up to this length quicker than a function of JavaScript, whose every call costs a copy. */
const SHORT_BYTES = 256

/** Adds the function with which statements search long texts. */
export function addTextSearch(database: Sqlite.Database): void {
  // The clauses of a search look for their parts in the same texts.
  let last = ''
  let folded = ''
  database.function('contains_text', { deterministic: true }, (text: unknown, part: unknown) => {
    if (typeof text !== 'string' || typeof part !== 'string') return null
    if (text !== last) {
      last = text
      folded = fold(text)
    }
    return folded.includes(fold(part)) ? 1 : 0
  })
}

/** Builds the condition that a text contains a part. The case of ASCII letters is ignored. */
export const contains = (text: RawBuilder<unknown>, part: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`iif(octet_length(${text}) <= ${sql.lit(SHORT_BYTES)},
    instr(lower(${text}), lower(${part})) > 0, contains_text(${text}, ${part}))`

/** Converts ASCII letters to lower case, as SQLite's `lower` does. */
const fold = (text: string): string =>
  NOT_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase()

const NOT_ASCII = /\P{ASCII}/u
