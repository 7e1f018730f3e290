import { distance } from 'fastest-levenshtein'

/** The minimum similarity of a suggestion, 0 to 1. */
const LEAST = 0.45
/** The maximum length of a compared text, in characters. All names are shorter. */
const MAX_LENGTH = 100
/** The maximum number of names that are compared for a suggestion, which bounds the time. */
const MAX_KNOWN = 500

/**
 * Finds the names that are similar to a mistyped name, most similar first. Empty if none is similar, and for a text longer than
 * any name.
 * @param count - the maximum number of names
 */
export function nearest<Name extends string>(text: string, names: readonly Name[], count = 3): Name[] {
  if (text.length > MAX_LENGTH) return []
  return names
    .filter((name) => name.length <= MAX_LENGTH)
    .map((name) => ({ name, likeness: likeness(text.toLowerCase(), name.toLowerCase()) }))
    .filter((candidate) => candidate.likeness >= LEAST)
    .sort((left, right) => right.likeness - left.likeness)
    .slice(0, count)
    .map(({ name }) => name)
}

/** `; did you mean 'pro'?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [meant] = nearest(word, known.slice(0, MAX_KNOWN), 1)
  return meant === undefined ? '' : `; did you mean '${meant}'?`
}

const likeness = (left: string, right: string): number =>
  Math.max(commonPairs(left, right), commonLetters(left, right))

/** The fraction of letters that stay when one text is edited into the other, 0 to 1. */
const commonLetters = (left: string, right: string): number =>
  1 - distance(left, right) / Math.max(left.length, right.length, 1)

/** The fraction of letter pairs that two texts have in common, at any position, 0 to 1 (Dice's coefficient). */
function commonPairs(left: string, right: string): number {
  const [ours, theirs] = [pairsOf(left), pairsOf(right)]
  const common = [...ours].filter((pair) => theirs.has(pair)).length
  return (2 * common) / (ours.size + theirs.size || 1)
}

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)))
