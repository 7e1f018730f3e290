/** How much two texts must have in common to be taken for each other, 0 to 1. */
const LEAST = 0.3
/** The longest text that is compared, in characters: no name is as long, and comparing takes the longer the longer both are. */
const MAX_LENGTH = 100
/** The longest text whose slips are counted, which takes time with its square; a few slips leave a longer one most of its pairs. */
const MAX_SLIPS_LENGTH = 32
/** How many words a hint looks at: with more of them, somebody else wrote them than the one who reads it. */
const MAX_KNOWN = 500

/**
 * The names that a mistyped one may have been meant for, nearest first. Empty when none is near, and for a text longer than any name.
 * @param count - how many at most
 * Source: paytwin: near is what a few slips of the keys make of it, or what has many pairs of characters in common with it.
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
  Math.max(commonPairs(left, right), fewSlips(left, right))

/** The share of pairs that two texts have in common, 0 to 1 (Dice's coefficient). */
function commonPairs(left: string, right: string): number {
  const [ours, theirs] = [pairsOf(left), pairsOf(right)]
  const common = [...ours].filter((pair) => theirs.has(pair)).length
  return (2 * common) / (ours.size + theirs.size || 1)
}

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)))

/** The share of letters that are right, when no more than a third of them, or one, is wrong; else 0. */
function fewSlips(left: string, right: string): number {
  const allowed = Math.max(1, Math.floor(left.length / 3))
  if (left.length > MAX_SLIPS_LENGTH) return 0
  if (Math.abs(left.length - right.length) > allowed) return 0
  const slips = distance(left, right)
  return slips > allowed ? 0 : 1 - slips / (left.length + 1)
}

/** How many letters have to be put in, taken out, replaced or swapped with the next to make one word of the other. */
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
