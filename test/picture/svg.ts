import type { Cell } from './cells.ts'
import { type Paint, paintOf, THEME } from './theme.ts'

/** What a picture shows, beside the terminal's lines. */
export type Caption = {
  /** Stands in the window's frame. */
  readonly window: string
  /** Read to those who do not see it: what it is, and what is to be seen. */
  readonly title: string
  readonly description: string
}

const FONTS = [
  ...['ui-monospace', 'SFMono-Regular', 'SF Mono', 'Menlo', 'Cascadia Mono', 'Consolas'],
  ...['DejaVu Sans Mono', 'Liberation Mono', 'monospace'],
]
const FONT_SIZE = 14
/** Fonts differ a little: each text is fitted into its columns. */
const COLUMN_WIDTH = 8.4
const LINE_HEIGHT = 20
/** From a line's top to where its characters stand, and to the line below underlined ones. */
const BASELINE = 14.5
const UNDERLINE = 16.5
const MARGIN = 16
const BAR_HEIGHT = 36
const RADIUS = 10
const BUTTON = { radius: 6, first: 20, distance: 20 }

/**
 * A terminal in a window, as an SVG that needs nothing but itself: no script, no style sheet, no font.
 * @param lines - all of the terminal's lines; what is missing at their ends is blank
 */
export function svgOf(
  lines: readonly (readonly Cell[])[],
  columns: number,
  { window, title, description }: Caption,
): string {
  const width = number(columns * COLUMN_WIDTH + 2 * MARGIN)
  const height = number(lines.length * LINE_HEIGHT + BAR_HEIGHT + 2 * MARGIN)
  return `${[
    `<svg ${attributes({
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-labelledby': 'title description',
    })}>`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(description)}</desc>`,
    ...frame(width, height, window),
    ...lines.flatMap((cells, index) => line(cells, BAR_HEIGHT + MARGIN + index * LINE_HEIGHT)),
    '</g>',
    '</svg>',
  ].join('\n')}\n`
}

/** The window, up to where its lines begin: its last element is open, and gives them their font. */
function frame(width: number, height: number, title: string): string[] {
  const outline = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: RADIUS }
  const [left, right, bottom] = [0.5, width - 0.5, BAR_HEIGHT + 0.5]
  const bar = `M${left} ${bottom}V${RADIUS + 0.5}a${RADIUS} ${RADIUS} 0 0 1 ${RADIUS} -${RADIUS}H${right - RADIUS}a${RADIUS} ${RADIUS} 0 0 1 ${RADIUS} ${RADIUS}V${bottom}z`
  return [
    `<rect ${attributes({ ...outline, fill: THEME.ground })}/>`,
    `<path ${attributes({ d: bar, fill: THEME.bar })}/>`,
    `<path ${attributes({ d: `M${left} ${bottom}H${right}`, stroke: THEME.border })}/>`,
    `<rect ${attributes({ ...outline, fill: 'none', stroke: THEME.border })}/>`,
    ...THEME.buttons.map((fill, index) => {
      const cx = BUTTON.first + index * BUTTON.distance
      return `<circle ${attributes({ cx, cy: BAR_HEIGHT / 2, r: BUTTON.radius, fill })}/>`
    }),
    `<g ${attributes({ 'font-family': FONTS.map(quoted).join(', '), 'font-size': FONT_SIZE })}>`,
    `<text ${attributes({
      x: width / 2,
      y: BAR_HEIGHT / 2 + 4.5,
      fill: THEME.title,
      'font-size': FONT_SIZE - 1,
      'text-anchor': 'middle',
    })}>${escaped(title)}</text>`,
  ]
}

/** A stretch of a line that is painted alike. */
type Run = {
  readonly column: number
  readonly columns: number
  readonly cells: readonly Cell[]
  readonly paint: Paint
}

/** A line's grounds first, so that no character is covered by its neighbour's. */
function line(cells: readonly Cell[], top: number): string[] {
  const runs = runsOf(cells)
  return [
    ...runs.flatMap(({ paint, ...place }) =>
      paint.ground ? [box(place, top, LINE_HEIGHT, paint.ground)] : [],
    ),
    ...runs.flatMap((run) => texts(run, top + BASELINE)),
    ...runs.flatMap(({ paint, ...place }) =>
      paint.isUnderlined ? [box(place, top + UNDERLINE, 1, paint.fill)] : [],
    ),
  ]
}

function runsOf(cells: readonly Cell[]): Run[] {
  const runs: Run[] = []
  let column = 0
  for (const cell of cells) {
    const paint = paintOf(cell.style)
    const last = runs.at(-1)
    if (last && isSame(last.paint, paint)) {
      runs[runs.length - 1] = { ...last, columns: last.columns + cell.columns, cells: [...last.cells, cell] }
    } else {
      runs.push({ column, columns: cell.columns, cells: [cell], paint })
    }
    column += cell.columns
  }
  return runs
}

const isSame = (one: Paint, other: Paint): boolean =>
  one.fill === other.fill &&
  one.ground === other.ground &&
  one.isBold === other.isBold &&
  one.isUnderlined === other.isUnderlined

const box = ({ column, columns }: Pick<Run, 'column' | 'columns'>, y: number, height: number, fill: string) =>
  `<rect ${attributes({
    x: x(column),
    y: number(y),
    width: number(columns * COLUMN_WIDTH),
    height,
    fill,
    'shape-rendering': 'crispEdges',
  })}/>`

/** A run's texts, each at its column and as wide as its columns: so they hold whatever the font. */
const texts = ({ column, cells, paint }: Run, y: number): string[] =>
  piecesOf(cells).map(
    (piece) =>
      `<text ${attributes({
        x: x(column + piece.column),
        y: number(y),
        textLength: number(piece.columns * COLUMN_WIDTH),
        lengthAdjust: 'spacingAndGlyphs',
        fill: paint.fill,
        ...(paint.isBold && { 'font-weight': 'bold' }),
      })}>${escaped(piece.text)}</text>`,
  )

type Piece = { readonly column: number; readonly columns: number; readonly text: string }

/**
 * What of a run is drawn as one text: words with single blanks between them, for SVG makes one blank of many; every character
 * that is not ASCII by itself, as it may come from another font.
 */
function piecesOf(cells: readonly Cell[]): Piece[] {
  const pieces: Piece[] = []
  let column = 0
  let ascii = ''
  const flush = () => {
    for (const { 0: text, index } of ascii.matchAll(/\S+(?: \S+)*/g))
      pieces.push({ column: column - ascii.length + index, columns: text.length, text })
    ascii = ''
  }
  for (const { text, columns } of cells) {
    if (/^[ -~]$/.test(text)) {
      ascii += text
    } else {
      flush()
      pieces.push({ column, columns, text })
    }
    column += columns
  }
  flush()
  return pieces
}

const x = (column: number): number => number(MARGIN + column * COLUMN_WIDTH)
/** Without the digits that floating point adds. */
const number = (value: number): number => Number(value.toFixed(2))

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(' ')

const quoted = (font: string): string => (font.includes(' ') ? `'${font}'` : font)

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
