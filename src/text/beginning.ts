/**
 * Returns the beginning of a text as a string of its own. A part that `slice` returns keeps the whole text in memory.
 * A surrogate pair at the end is not cut: its first half becomes U+FFFD.
 * @param most - the maximum number of UTF-16 units
 */
export const beginningOf = (text: string, most: number): string =>
  text.length <= most ? text : copyOf(text.slice(0, most))

/** Returns a well-formed text as a string of its own, which does not keep the text in memory that it is a part of. */
export const copyOf = (text: string): string => Buffer.from(text).toString()

/** Returns the memory of a text in bytes: V8 keeps two for each UTF-16 unit if one of them is not in Latin-1, otherwise one. */
export const memoryOf = (text: string): number => text.length * (/[\u0100-\uffff]/.test(text) ? 2 : 1)
