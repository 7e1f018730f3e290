/** paytwin: the maximum number of spellings of a text that a search merges. Each has a statement in each of its steps. */
const MAX_SPELLINGS = 16
/** paytwin: the maximum number of texts that are read to find the spellings of one. Each takes some 5 µs. */
const MAX_READS = 200

/**
 * Finds the spellings of a text, which differ in the case of ASCII letters, among texts in the order of their bytes. Texts in between
 * are skipped: ordinary texts take a few reads, however many there are.
 * @param firstFrom - returns the first text that is not before the given one
 * @returns undefined if there are too many
 */
export function spellingsOf(
  text: string,
  firstFrom: (from: string) => string | undefined,
): readonly string[] | undefined {
  const letters = bothCases(text)
  const spellings: string[] = []
  let from: string | undefined = letters.upper.toString()
  for (let reads = 0; from !== undefined; reads += 1) {
    if (reads === MAX_READS) return undefined
    const found = firstFrom(from)
    if (found === undefined) break
    const bytes = Buffer.from(found)
    if (bytes.length === letters.upper.length && matching(letters, bytes) === bytes.length) {
      if (spellings.length === MAX_SPELLINGS) return undefined
      spellings.push(found)
    }
    from = spellingAfter(letters, bytes)
  }
  return spellings
}

/** The bytes of a text in both cases. */
type BothCases = { readonly upper: Buffer; readonly lower: Buffer }

const CASE_BIT = 0x20

function bothCases(text: string): BothCases {
  const bytes = Buffer.from(text)
  const isLetter = (byte: number) => /[a-z]/i.test(String.fromCharCode(byte))
  return {
    upper: Buffer.from(bytes.map((byte) => (isLetter(byte) ? byte & ~CASE_BIT : byte))),
    lower: Buffer.from(bytes.map((byte) => (isLetter(byte) ? byte | CASE_BIT : byte))),
  }
}

/** Returns the number of bytes at the start of a text that a spelling can have too. */
function matching({ upper, lower }: BothCases, bytes: Buffer): number {
  const end = bytes.findIndex((byte, place) => byte !== upper[place] && byte !== lower[place])
  return end === -1 ? bytes.length : end
}

/** Returns the first spelling after a text; undefined if there is none. */
function spellingAfter({ upper, lower }: BothCases, bytes: Buffer): string | undefined {
  const matched = matching({ upper, lower }, bytes)
  const from = (place: number) => upper.subarray(place)
  if (matched === bytes.length && matched < upper.length)
    return Buffer.concat([bytes, from(matched)]).toString()
  // It shares as many bytes with the text as possible. An upper case letter comes before its lower case.
  for (let place = Math.min(matched, upper.length - 1); place >= 0; place -= 1) {
    const greater = [upper[place], lower[place]].find((byte) => Number(byte) > Number(bytes[place]))
    if (greater !== undefined)
      return Buffer.concat([bytes.subarray(0, place), Buffer.of(greater), from(place + 1)]).toString()
  }
  return undefined
}
