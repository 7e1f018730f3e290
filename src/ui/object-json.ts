import { toJson } from '../text/display.ts'
import { wrapped } from './fit.ts'
import type { Span } from './span.ts'

/** Formats an object's JSON in lines of at most `columns` columns; longer lines are wrapped. */
export const jsonLines = (object: object, columns: number): string[] =>
  toJson(object, 2)
    .split('\n')
    .flatMap((line) => wrapped(line, columns))

/** Colours the field name of a line of JSON. */
export function jsonSpans(line: string): Span[] {
  const [, indent = '', name, rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*"): (.*)$/.exec(line) ?? []
  return name === undefined ? [line] : [indent, { text: name, colour: 'cyan' }, `: ${rest}`]
}
