/** What a terminal is told to show text so. */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const
export type Colour = keyof typeof CODES

/** A piece of a line; its text may come from anywhere, for it is made harmless when it is written. */
export type Span = string | { readonly text: string; readonly colour: Colour }

export const textOf = (span: Span): string => (typeof span === 'string' ? span : span.text)

/** A text in a colour, as a terminal takes it. */
export const coloured = (text: string, colour: Colour): string => `\u001b[${CODES[colour]}m${text}\u001b[0m`

/** A text with its ground and its own colour exchanged. */
export const inverse = (text: string): string => `\u001b[7m${text}\u001b[27m`
