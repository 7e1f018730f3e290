/** The minimum similarity of a suggestion, 0 to 1. */
const MIN_SIMILARITY = 0.3
/** The longest text that is compared, in characters. No name is longer, and the time grows with the lengths. */
const MAX_LENGTH = 100
/**
 * The longest text whose edit distance is computed, which takes quadratic time. A long text with a typo keeps most of
 * its pairs.
 */
const MAX_DISTANCE_LENGTH = 32
/** The maximum number of candidates of a hint. A longer list does not come from the person who reads the hint. */
const MAX_CANDIDATES = 500

/**
 * Suggests the names that a mistyped one may stand for, best first. Empty when none is similar, or when the text is
 * longer than any name.
 * @param count - the maximum number of suggestions paytwin: similar means few typing errors, or many common pairs of
 *   characters.
 */
export function nearest<Name extends string>(text: string, names: readonly Name[], count = 3): Name[] {
  if (text.length > MAX_LENGTH) return []
  return names
    .filter((name) => name.length <= MAX_LENGTH)
    .map((name) => ({ name, similarity: similarity(text.toLowerCase(), name.toLowerCase()) }))
    .filter((candidate) => candidate.similarity >= MIN_SIMILARITY)
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, count)
    .map(({ name }) => name)
}

/** Returns `; did you mean 'pro'?`, or an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [meant] = nearest(word, known.slice(0, MAX_CANDIDATES), 1)
  return meant === undefined ? '' : `; did you mean '${meant}'?`
}

const similarity = (left: string, right: string): number =>
  Math.max(commonPairs(left, right), typingErrors(left, right))

/** Returns the share of pairs that two texts have in common, 0 to 1 (Dice's coefficient). */
function commonPairs(left: string, right: string): number {
  const [ours, theirs] = [pairsOf(left), pairsOf(right)]
  const common = [...ours].filter((pair) => theirs.has(pair)).length
  return (2 * common) / (ours.size + theirs.size || 1)
}

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)))

/** Returns the share of correct letters if at most a third of them, or one, is wrong; else 0. */
function typingErrors(left: string, right: string): number {
  const allowed = Math.max(1, Math.floor(left.length / 3))
  if (left.length > MAX_DISTANCE_LENGTH) return 0
  if (Math.abs(left.length - right.length) > allowed) return 0
  const errors = distance(left, right)
  return errors > allowed ? 0 : 1 - errors / (left.length + 1)
}

/** Returns the edit distance: letters to insert, delete, replace or swap with the next (Damerau-Levenshtein). */
function distance(left: string, right: string): number {
  let beforeThat: number[] = []
  let above = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 0; row < left.length; row += 1) {
    const here = [row + 1]
    for (let column = 0; column < right.length; column += 1) {
      const replaced = (above[column] ?? 0) + (left[row] === right[column] ? 0 : 1)
      const isSwapped = left[row] === right[column - 1] && left[row - 1] === right[column]
      const swapped = isSwapped ? (beforeThat[column - 1] ?? Infinity) + 1 : Infinity
      here.push(Math.min(replaced, swapped, (above[column + 1] ?? 0) + 1, (here[column] ?? 0) + 1))
    }
    beforeThat = above
    above = here
  }
  return above.at(-1) ?? 0
}
