/** The terminal's codes for colours and styles (SGR). */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const
export type Colour = keyof typeof CODES

/** A piece of a line. Its text may contain control characters, which are escaped when it is written. */
export type Span = string | { readonly text: string; readonly colour: Colour }

export const textOf = (span: Span): string => (typeof span === 'string' ? span : span.text)

/** Wraps a text in the codes of a colour. */
export const coloured = (text: string, colour: Colour): string => `\u001b[${CODES[colour]}m${text}\u001b[0m`

/** Wraps a text in the codes for inverse video. */
export const inverse = (text: string): string => `\u001b[7m${text}\u001b[27m`
