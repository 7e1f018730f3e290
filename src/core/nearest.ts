/** How much two texts must have in common to be taken for each other, 0 to 1. */
const LEAST = 0.3
/** How many words a hint looks at: with more of them, somebody else wrote them than the one who reads it. */
const MAX_KNOWN = 500

/**
 * The names that a mistyped one may have been meant for, nearest first: those that have most pairs of neighbouring
 * characters in common with it. Empty when none is near.
 * @param count - how many at most
 */
export const nearest = <Name extends string>(text: string, names: readonly Name[], count = 3): Name[] =>
  names
    .map((name) => ({ name, likeness: likeness(text, name) }))
    .filter((candidate) => candidate.likeness >= LEAST)
    .sort((left, right) => right.likeness - left.likeness)
    .slice(0, count)
    .map(({ name }) => name)

/** `; did you mean 'pro'?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const [meant] = nearest(word, known.slice(0, MAX_KNOWN), 1)
  return meant === undefined ? '' : `; did you mean '${meant}'?`
}

/** The share of pairs that two texts have in common, 0 to 1 (Dice's coefficient). */
function likeness(left: string, right: string): number {
  const [ours, theirs] = [pairsOf(left.toLowerCase()), pairsOf(right.toLowerCase())]
  const common = [...ours].filter((pair) => theirs.has(pair)).length
  return (2 * common) / (ours.size + theirs.size || 1)
}

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)))
