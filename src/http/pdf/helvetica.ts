/** The fonts, which need not be in the file, because every PDF reader has them. */
export const FONTS = { regular: 'Helvetica', bold: 'Helvetica-Bold' } as const
export type Font = keyof typeof FONTS

/** The characters 128 to 159 of the encoding; '' for those that it lacks. */
const MIDDLE = [
  ...['€', '', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '', 'Ž', ''],
  ...['', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '', 'ž', 'Ÿ'],
]
const FIRST = 32
const MIDDLE_START = 128
const MIDDLE_END = MIDDLE_START + MIDDLE.length

/** The widths of the characters 32 to 255 in thousandths of the font's size. Source: Adobe's metrics of the 14 standard fonts. */
const WIDTHS: Readonly<Record<Font, readonly number[]>> = {
  regular: numbers(`
  278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556
  278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667
  611 722 667 944 667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833
  556 556 556 556 333 500 278 556 500 722 500 500 500 334 260 334 584 0 556 0 222 556 333 1000 556 556 333
  1000 667 333 1000 0 611 0 0 222 222 333 333 350 556 1000 333 1000 500 333 944 0 500 500 278 333 556 556
  556 556 260 556 333 737 370 556 584 333 737 333 400 584 333 333 333 556 537 278 333 333 365 556 834 834
  834 611 667 667 667 667 667 667 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584
  778 722 722 722 722 667 667 611 556 556 556 556 556 556 889 500 556 556 556 556 278 278 278 278 556 556
  556 556 556 556 556 584 611 556 556 556 556 500 556 500`),
  bold: numbers(`
  278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556
  333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667
  611 722 667 944 667 667 611 333 278 333 584 556 333 556 611 556 611 556 333 611 611 278 278 556 278 889
  611 611 611 611 389 556 333 611 556 778 556 556 500 389 280 389 584 0 556 0 278 556 500 1000 556 556 333
  1000 667 333 1000 0 611 0 0 278 278 500 500 350 556 1000 333 1000 556 333 944 0 500 556 278 333 556 556
  556 556 280 556 333 737 370 556 584 333 737 333 400 584 333 333 333 611 556 278 333 333 365 556 834 834
  834 611 722 722 722 722 722 722 1000 722 667 667 667 667 278 278 278 278 722 722 778 778 778 778 778 584
  778 722 722 722 722 667 667 611 556 556 556 556 556 556 889 556 556 556 556 556 278 278 278 278 611 611
  611 611 611 611 611 584 611 611 611 611 611 556 611 556`),
}

function numbers(text: string): number[] {
  return text.trim().split(/\s+/).map(Number)
}

/** The bytes of characters outside ASCII and Latin-1. */
const BYTES: ReadonlyMap<string, number> = new Map(
  MIDDLE.flatMap((character, index) => (character === '' ? [] : [[character, MIDDLE_START + index]])),
)

/** Replacements of letters that Unicode does not decompose into a base letter and an accent. */
const SIMILAR: Readonly<Record<string, string>> = { ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ı: 'i', ħ: 'h', Ħ: 'H' }

/** The replacement of a character that the fonts lack. */
const MISSING = '?'.charCodeAt(0)

/**
 * Encodes a text for the fonts (WinAnsi). A letter whose accent they lack loses it: `ő` becomes `o`, and `ł` `l`. Any other character
 * that they lack becomes `?`. Control characters are left out.
 * @returns the bytes, and whether a character became `?`
 */
export function encode(text: string): { readonly bytes: readonly number[]; readonly isComplete: boolean } {
  const bytes: number[] = []
  let isComplete = true
  for (const character of visible(text)) {
    const byte = byteOf(character)
    if (byte === undefined) isComplete = false
    bytes.push(byte ?? MISSING)
  }
  return { bytes, isComplete }
}

/** Returns a text as it is encoded, character by character. */
const visible = (text: string): string => text.normalize('NFC').replaceAll(/[\p{Cc}\p{Cf}]/gu, '')

/** The last visible character of ASCII, whose code is its byte. */
const LAST_OF_ASCII = 126

/** The code points that have been encoded: their bytes, or LACKING. Removing accents takes a hundred times as long as a lookup. */
const known = new Uint8Array(0x11_00_00)
const LACKING = 1

/** Returns the byte of a character, or of its letter without accents; undefined if the fonts lack both. */
function byteOf(character: string): number | undefined {
  const code = character.codePointAt(0) ?? MISSING
  const byte = known[code] || (ownByteOf(character) ?? ownByteOf(plain(character)) ?? LACKING)
  known[code] = byte
  return byte === LACKING ? undefined : byte
}

/** Returns a letter without its accents. */
const plain = (character: string): string =>
  SIMILAR[character] ?? character.normalize('NFKD').replaceAll(/\p{M}/gu, '')

function ownByteOf(character: string): number | undefined {
  if (character.length !== 1) return undefined
  const code = character.charCodeAt(0)
  const isOwn = code >= FIRST && code < 256 && (code < MIDDLE_START - 1 || code >= MIDDLE_END)
  return isOwn ? code : BYTES.get(character)
}

/** Returns the width of a text in points. @param size - the font's size in points */
export const widthOf = (text: string, font: Font, size: number): number =>
  unitsOf(text, font) * (size / 1_000)

/** Returns the width of a text in thousandths of the font's size. It is the sum of the widths of its parts. */
function unitsOf(text: string, font: Font): number {
  let sum = 0
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place)
    // Encoding a character takes ten times as long as adding up the width of one of ASCII.
    if (code < FIRST || code > LAST_OF_ASCII)
      return encode(text).bytes.reduce((all, byte) => all + unitsOfByte(byte, font), 0)
    sum += unitsOfByte(code, font)
  }
  return sum
}

const unitsOfByte = (byte: number, font: Font): number => WIDTHS[font][byte - FIRST] ?? 0

/** Breaks a text into lines that are at most `width` points wide. A word that is wider is broken. */
export function wrap(
  text: string,
  { font, size, width }: { font: Font; size: number; width: number },
): string[] {
  const lines: string[] = []
  const space = unitsOf(' ', font)
  const fits = (units: number) => units * (size / 1_000) <= width
  let line = ''
  // Each character is measured once: a line can have thousands of characters without a width.
  let used = 0
  const add = (part: string, units: number, gap: number) => {
    const isFirst = line === ''
    if (!isFirst && !fits(used + gap + units)) {
      lines.push(line)
      line = part
      used = units
      return
    }
    line += !isFirst && gap > 0 ? ` ${part}` : part
    used += isFirst ? units : gap + units
  }
  for (const word of text.split(/\s+/).map(visible)) {
    if (word === '') continue
    const units = unitsOf(word, font)
    if (fits(units)) {
      add(word, units, space)
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    used = 0
    for (const character of word) add(character, unitsOfByte(byteOf(character) ?? MISSING, font), 0)
  }
  return line === '' ? lines : [...lines, line]
}
