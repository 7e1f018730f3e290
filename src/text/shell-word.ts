import { INVISIBLE } from './display.ts'

/**
 * Quotes a word for a POSIX shell if necessary. Control characters become escapes, which shells with `$'…'` read, such as
 * bash and zsh.
 */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (word.search(INVISIBLE) === -1) return `'${word.replaceAll("'", `'\\''`)}'`
  // An escaped quote would end the word in a shell that does not read `$'…'`, and what follows would be run.
  return `$'${word.replaceAll('\\', '\\\\').replaceAll("'", '\\x27').replace(INVISIBLE, escaped)}'`
}

/** Formats a character with all digits, so that those that follow it are not read as part of it. */
const escaped = (character: string): string => {
  const code = character.charCodeAt(0)
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
