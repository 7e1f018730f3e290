import { widthOf } from '../../src/ui/fit.ts'

/** One of the 256 colours by its number, a colour of its own as `#rrggbb`, or null for the terminal's usual one. */
export type Colour = number | `#${string}` | null

/** How a character is shown. */
export type Style = {
  readonly colour: Colour
  /** The colour behind it. */
  readonly ground: Colour
  readonly isBold: boolean
  readonly isDim: boolean
  readonly isUnderlined: boolean
  /** Its colour and its ground are exchanged. */
  readonly isInverse: boolean
}

/** A character as a person sees it, and how many columns it takes: two for 日. */
export type Cell = { readonly text: string; readonly columns: number; readonly style: Style }

export const PLAIN: Style = {
  colour: null,
  ground: null,
  isBold: false,
  isDim: false,
  isUnderlined: false,
  isInverse: false,
}

const ESC = '\u001b'
/** A sequence that says how what follows is shown; text that says nothing but itself; anything else. */
const PIECES = new RegExp(
  `${ESC}\\[(?<codes>[\\d;]*)m|(?<text>[^\\p{Cc}]+)|(?<unknown>${ESC}.{0,9}|.)`,
  'gsu',
)
const graphemes = new Intl.Segmenter()

/**
 * The characters of a terminal's lines, as `tmux capture-pane -e` writes them: how a line ends is how the next one begins.
 * @throws where a line holds what is neither text nor a known style: a picture without it would not be true
 */
export function cellsOf(lines: readonly string[]): Cell[][] {
  let style = PLAIN
  return lines.map((line, index) => {
    const cells: Cell[] = []
    for (const { groups = {} } of line.matchAll(PIECES)) {
      const { codes, text = '', unknown } = groups
      if (unknown !== undefined)
        throw new Error(`line ${index + 1} holds ${JSON.stringify(unknown)}, which is neither text nor style`)
      if (codes !== undefined) style = styled(style, codes)
      for (const { segment } of graphemes.segment(text))
        cells.push({ text: segment, columns: widthOf(segment), style })
    }
    return cells
  })
}

/** What each code changes. Source: ECMA-48, 8.3.117 (SGR); 90 to 107 are the bright colours that all terminals have. */
const CHANGES: ReadonlyMap<number, Partial<Style>> = new Map([
  [0, PLAIN],
  [1, { isBold: true }],
  [2, { isDim: true }],
  [4, { isUnderlined: true }],
  [7, { isInverse: true }],
  [22, { isBold: false, isDim: false }],
  [24, { isUnderlined: false }],
  [27, { isInverse: false }],
  [39, { colour: null }],
  [49, { ground: null }],
  ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((n): [number, Partial<Style>][] => [
    [30 + n, { colour: n }],
    [40 + n, { ground: n }],
    [90 + n, { colour: 8 + n }],
    [100 + n, { ground: 8 + n }],
  ]),
])

/** The style after a sequence of codes, such as `0;1;38;5;208`; without any it is plain. */
function styled(before: Style, codes: string): Style {
  const left = codes.split(';').map(Number)
  let style = before
  for (let code = left.shift(); code !== undefined; code = left.shift()) {
    const change = CHANGES.get(code) ?? changeOfColour(code, left)
    if (!change) throw new Error(`the style ${JSON.stringify(codes)} has ${code}, which is not known`)
    style = { ...style, ...change }
  }
  return style
}

/** A colour that takes more than one code: these are taken away from what is left. */
function changeOfColour(code: number, left: number[]): Partial<Style> | undefined {
  if (code !== 38 && code !== 48) return undefined
  const colour = longColour(left.splice(0, left[0] === 2 ? 4 : 2))
  if (colour === undefined) return undefined
  return code === 38 ? { colour } : { ground: colour }
}

/** `5;208` or `2;255;135;0`. */
function longColour([kind, ...parts]: readonly number[]): Colour | undefined {
  const isWhole = parts.length === (kind === 5 ? 1 : 3) && parts.every((part) => part <= 255)
  if (!isWhole) return undefined
  if (kind === 5) return parts[0]
  return kind === 2 ? `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}` : undefined
}
