/**
 * Returns the beginning of a text as a string of its own. A part that `slice` returns keeps the whole text in memory.
 * A surrogate pair at the end is not cut: its first half becomes U+FFFD.
 * @param most - the maximum number of UTF-16 units
 */
export const beginningOf = (text: string, most: number): string =>
  text.length <= most ? text : copyOf(text.slice(0, most))

/** Returns a well-formed text as a string of its own, which does not keep the text in memory that it is a part of. */
export const copyOf = (text: string): string => Buffer.from(text).toString()
