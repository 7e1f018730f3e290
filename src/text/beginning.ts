/**
 * Returns the beginning of a text as a string of its own. A part that `slice` returns keeps the whole text in memory.
 * A surrogate pair at the end is not cut: its first half becomes U+FFFD.
 * @param most - the maximum number of UTF-16 units
 */
export const beginningOf = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most)).toString()
