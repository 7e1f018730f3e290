import type Sqlite from 'better-sqlite3'
import { type RawBuilder, sql } from 'kysely'

/** SQLite searches texts up to this length quicker than a function of JavaScript, whose every call costs a copy. */
const SHORT_BYTES = 256

/**
 * paytwin: the maximum size of what a step of a search reads for each of its parts, in bytes, unless one row has more. To search a
 * byte of metadata takes up to 20 ns, so a step takes up to 10 ms; one of texts with capitals and other alphabets takes up to 25 ms.
 */
export const SEARCH_STEP_BYTES = 500_000

/** Adds the function with which statements search long texts. */
export function addTextSearch(database: Sqlite.Database): void {
  const foldedOf = rememberingFold()
  database.function('contains_text', { deterministic: true }, (text: unknown, part: unknown) => {
    if (typeof text !== 'string' || typeof part !== 'string') return null
    return foldedOf(text).includes(fold(part)) ? 1 : 0
  })
}

/** A text of all metadata is longer than this, if it takes long to fold; a single value is shorter. */
const LONG_CHARACTERS = 1_024

/**
 * Returns a function that does the same as `fold`, and remembers the last long text: the clauses of a search look for their parts in
 * the same metadata, and in single values between.
 */
function rememberingFold(): (text: string) => string {
  let last = ''
  let folded = ''
  return (text) => {
    if (text.length <= LONG_CHARACTERS) return fold(text)
    if (text !== last) {
      last = text
      folded = fold(text)
    }
    return folded
  }
}

/** Builds the condition that a text contains a part. The case of ASCII letters is ignored. */
export const contains = (text: RawBuilder<unknown>, part: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`iif(octet_length(${text}) <= ${sql.lit(SHORT_BYTES)},
    instr(lower(${text}), lower(${part})) > 0, contains_text(${text}, ${part}))`

/** Converts ASCII letters to lower case, as SQLite's `lower` does. */
const fold = (text: string): string =>
  NOT_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase()

const NOT_ASCII = /\P{ASCII}/u
