import stringWidth from 'string-width'
import { escapeControls } from '../text/display.ts'
import { coloured, type Span, textOf } from './span.ts'

const ASCII = /^[\u0020-\u007e]*$/
/** Made when it is first needed: it takes 12 ms of a start. */
let graphemes: Intl.Segmenter | undefined

/** Returns the width of a text without control characters in columns: two for 日 and most emoji. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text))

/** Returns the longest prefix of a text that fits, without splitting a character. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (ASCII.test(text)) return text.slice(0, columns)
  let kept = ''
  let width = 0
  graphemes ??= new Intl.Segmenter()
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment)
    if (width > columns) break
    kept += segment
  }
  return kept
}

/** Truncates or pads a text to exactly `columns` columns. */
export function padded(text: string, columns: number): string {
  const kept = cut(text, columns)
  return kept + ' '.repeat(Math.max(0, columns - widthOf(kept)))
}

/** Splits a text into pieces of at most `columns` columns. */
export function wrapped(text: string, columns: number): string[] {
  const pieces: string[] = []
  for (let rest = text; ; ) {
    const piece = cut(rest, columns)
    pieces.push(piece)
    rest = rest.slice(piece.length)
    // A character wider than the terminal is omitted.
    if (rest === '' || piece === '') return pieces
  }
}

/** Truncates spans to `columns` columns and escapes control characters. A truncated text ends in `…`. */
export function fitted(spans: readonly Span[], columns: number): Span[] {
  const kept: Span[] = []
  let left = columns
  for (const [index, span] of spans.entries()) {
    const text = escapeControls(textOf(span))
    const isLast = spans.slice(index + 1).every((next) => textOf(next) === '')
    const width = widthOf(text)
    if (width < left || (isLast && width === left)) {
      kept.push(withText(span, text))
      left -= width
      continue
    }
    if (left > 0) kept.push(withText(span, `${cut(text, left - 1)}…`))
    return kept
  }
  return kept
}

/** Returns the width of spans in columns. */
export const widthOfAll = (spans: readonly Span[]): number =>
  spans.reduce((sum, span) => sum + widthOf(escapeControls(textOf(span))), 0)

/** Aligns spans to the left and right end of a line. If both do not fit, the left part is truncated, or the right one omitted. */
export function spread(left: readonly Span[], right: readonly Span[], columns: number): Span[] {
  const width = widthOfAll(right)
  if (width + 2 > columns) return fitted(left, columns)
  const start = fitted(left, columns - width - 2)
  return [...start, ' '.repeat(columns - width - widthOfAll(start)), ...fitted(right, width)]
}

/** Converts spans to text with the terminal's colour codes. */
export const painted = (spans: readonly Span[], isColoured: boolean): string =>
  spans
    .map((span) =>
      typeof span === 'string' || !isColoured ? textOf(span) : coloured(span.text, span.colour),
    )
    .join('')

const withText = (span: Span, text: string): Span => (typeof span === 'string' ? text : { ...span, text })
