import stringWidth from 'string-width'
import { visible } from '../text/display.ts'
import { coloured, type Span, textOf } from './span.ts'

const ASCII = /^[\u0020-\u007e]*$/
const graphemes = new Intl.Segmenter()

/** How many columns of a terminal a harmless text takes: two for 日 and for most emoji. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text))

/** The longest beginning of a text that is no wider than so many columns; no character is cut in two. */
export function cut(text: string, columns: number): string {
  if (columns <= 0) return ''
  if (ASCII.test(text)) return text.slice(0, columns)
  let kept = ''
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment)
    if (width > columns) break
    kept += segment
  }
  return kept
}

/** A text cut or filled up to so many columns. */
export function padded(text: string, columns: number): string {
  const kept = cut(text, columns)
  return kept + ' '.repeat(Math.max(0, columns - widthOf(kept)))
}

/** A text in pieces that are no wider than so many columns each. */
export function wrapped(text: string, columns: number): string[] {
  const pieces: string[] = []
  for (let rest = text; ; ) {
    const piece = cut(rest, columns)
    pieces.push(piece)
    rest = rest.slice(piece.length)
    // A character that is wider than the terminal is not shown.
    if (rest === '' || piece === '') return pieces
  }
}

/** Spans that take no more than so many columns, harmless; the last one ends in `…` where something is left out. */
export function fitted(spans: readonly Span[], columns: number): Span[] {
  const kept: Span[] = []
  let left = columns
  for (const [index, span] of spans.entries()) {
    const text = visible(textOf(span))
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

/** How many columns spans take. */
export const widthOfAll = (spans: readonly Span[]): number =>
  spans.reduce((sum, span) => sum + widthOf(visible(textOf(span))), 0)

/** What stands at the left and at the right end of a line; where both do not fit, the right one stays whole. */
export function spread(left: readonly Span[], right: readonly Span[], columns: number): Span[] {
  const width = widthOfAll(right)
  if (width + 2 > columns) return fitted(left, columns)
  const start = fitted(left, columns - width - 2)
  return [...start, ' '.repeat(columns - width - widthOfAll(start)), ...fitted(right, width)]
}

/** Spans as a terminal takes them. */
export const painted = (spans: readonly Span[], isColoured: boolean): string =>
  spans
    .map((span) =>
      typeof span === 'string' || !isColoured ? textOf(span) : coloured(span.text, span.colour),
    )
    .join('')

const withText = (span: Span, text: string): Span => (typeof span === 'string' ? text : { ...span, text })
