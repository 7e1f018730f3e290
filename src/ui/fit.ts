import stringWidth from 'string-width'
import { escapeControls } from '../text/display.ts'
import { coloured, type Span, textOf } from './span.ts'

const ASCII = /^[\u0020-\u007e]*$/
/** Letters, signs and syllables that never join the next one: Latin, Greek, Cyrillic, Chinese, Japanese and Korean. */
const UNJOINED =
  /^[\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u1e00-\u1fff\u2010-\u2027\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/
/** Made when it is first needed: it takes 12 ms of a start. */
let graphemes: Intl.Segmenter | undefined

/** The widths of the characters seen last. stringWidth takes 25 µs for each. */
const widths = new Map<string, number>()
/** paytwin: enough for all Chinese and Korean characters in use. */
const MAX_WIDTHS = 32_768
/** paytwin: longer than any emoji. A longer character could keep the text alive that it is part of. */
const MAX_KEPT_LENGTH = 12

/** Returns the width of a text without control characters in columns: two for 日 and most emoji. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const grapheme of graphemesOf(text)) width += widthOfGrapheme(grapheme)
  return width
}

/** Returns the longest prefix of a text that fits, without splitting a character. */
export function cut(text: string, columns: number): string {
  const [first = ''] = piecesOf(text, columns)
  return first
}

/** Truncates or pads a text to exactly `columns` columns. */
export function padded(text: string, columns: number): string {
  const kept = cut(text, columns)
  return kept + ' '.repeat(Math.max(0, columns - widthOf(kept)))
}

/** Splits a text into pieces of at most `columns` columns. */
export const wrapped = (text: string, columns: number): string[] => [...piecesOf(text, columns)]

/** Yields the pieces of a text, without splitting a character. The last one is empty before a character wider than `columns`. */
function* piecesOf(text: string, columns: number): Generator<string, void> {
  if (columns <= 0) return yield ''
  let start = 0
  if (ASCII.test(text)) {
    for (; start + columns < text.length; start += columns) yield text.slice(start, start + columns)
    return yield text.slice(start)
  }
  let end = 0
  let width = 0
  for (const grapheme of graphemesOf(text)) {
    const own = widthOfGrapheme(grapheme)
    if (width + own > columns) {
      if (end > start) yield text.slice(start, end)
      if (own > columns) return yield ''
      start = end
      width = 0
    }
    end += grapheme.length
    width += own
  }
  yield text.slice(start)
}

/** Returns the characters of a text as they are seen. A segmenter takes 1 µs for each. */
const graphemesOf = (text: string): Iterable<string> => (UNJOINED.test(text) ? text : segmentsOf(text))

/**
 * Segments a text part by part: each step of a segmenter copies the text that it was given. The last segment of a part may go on,
 * so the next part starts with it.
 */
function* segmentsOf(text: string): Generator<string, void> {
  graphemes ??= new Intl.Segmenter()
  for (let start = 0, size = PART; start < text.length; ) {
    const end = start + size
    const part = text.slice(start, isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end)
    const isLast = start + part.length === text.length
    const before = start
    for (const { segment, index } of graphemes.segment(part)) {
      if (!isLast && index + segment.length === part.length) break
      yield segment
      start += segment.length
    }
    size = start === before ? 2 * size : PART
  }
}

/** paytwin: longer than most characters, and short enough to be copied for each. */
const PART = 64
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

function widthOfGrapheme(grapheme: string): number {
  const known = widths.get(grapheme)
  if (known !== undefined) return known
  const width = stringWidth(grapheme)
  if (grapheme.length > MAX_KEPT_LENGTH) return width
  if (widths.size >= MAX_WIDTHS) widths.clear()
  widths.set(grapheme, width)
  return width
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
