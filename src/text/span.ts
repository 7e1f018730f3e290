/** The colours and styles of a text on a terminal. */
export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/** A piece of a line. Its text may contain control characters, which are escaped when it is written. */
export type Span = string | { readonly text: string; readonly colour: Colour }

export const textOf = (span: Span): string => (typeof span === 'string' ? span : span.text)
