import type { Colour } from '../text/span.ts'

export { type Colour, type Span, textOf } from '../text/span.ts'

/** The terminal's codes for colours and styles (SGR). */
const CODES: Readonly<Record<Colour, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
}

/** Wraps a text in the codes of a colour. */
export const coloured = (text: string, colour: Colour): string => `\u001b[${CODES[colour]}m${text}\u001b[0m`

/** Wraps a text in the codes for inverse video. */
export const inverse = (text: string): string => `\u001b[7m${text}\u001b[27m`
