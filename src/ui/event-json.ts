import type { Event } from '../client/types.ts'
import { toJson } from '../text/display.ts'
import { wrapped } from './fit.ts'
import type { Span } from './span.ts'

/** An event's JSON in lines that are no wider than so many columns; long values go on in the next line. */
export const jsonLines = (event: Event, columns: number): string[] =>
  toJson(event, 2)
    .split('\n')
    .flatMap((line) => wrapped(line, columns))

/** A line of JSON with the field's name set off. */
export function jsonSpans(line: string): Span[] {
  const [, indent = '', name, rest = ''] = /^(\s*)("(?:[^"\\]|\\.)*"): (.*)$/.exec(line) ?? []
  return name === undefined ? [line] : [indent, { text: name, colour: 'cyan' }, `: ${rest}`]
}
