import type { Style } from './cells.ts'

/** `#rrggbb`. */
export type Hex = `#${string}`

/** What a terminal of its own colours would show: a dark one, with colours that can be read on it. */
export const THEME = {
  ground: '#0d1117',
  text: '#d1d9e0',
  bar: '#161b22',
  border: '#3d444d',
  title: '#9198a1',
  buttons: ['#ff5f57', '#febc2e', '#28c840'],
  /** Black, red, green, yellow, blue, magenta, cyan, white; then the same, brighter. */
  sixteen: [
    ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#6cb0ff', '#c297ff', '#39c5cf', '#b1bac4'],
    ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#8ac4ff', '#d9b3ff', '#56d4dd', '#ffffff'],
  ],
} as const

/** How much of its colour dim text keeps; the rest is its ground. */
const DIM = 0.66

/** What is painted for a style: `ground` only where it differs from the window's. */
export type Paint = {
  readonly fill: Hex
  readonly ground: Hex | null
  readonly isBold: boolean
  readonly isUnderlined: boolean
}

export function paintOf({ colour, ground, isBold, isDim, isUnderlined, isInverse }: Style): Paint {
  const own = hexOf(colour, THEME.text)
  const behind = hexOf(ground, THEME.ground)
  const [front, back] = isInverse ? [behind, own] : [own, behind]
  const fill = isDim ? mixed(front, back, DIM) : front
  return { fill, ground: back === THEME.ground ? null : back, isBold, isUnderlined }
}

function hexOf(colour: Style['colour'], usual: Hex): Hex {
  if (colour === null) return usual
  return typeof colour === 'string' ? colour : (THEME.sixteen[colour] ?? ofTable(colour))
}

const STEPS = [0, 95, 135, 175, 215, 255]

/** The colours from 16 on: a cube of 6 × 6 × 6, then 24 greys. Source: xterm, 256colres.h. */
function ofTable(colour: number): Hex {
  if (colour >= 232) return hex([0, 1, 2].map(() => 8 + 10 * (colour - 232)))
  const n = colour - 16
  return hex([Math.floor(n / 36), Math.floor(n / 6) % 6, n % 6].map((step) => STEPS[step] ?? 0))
}

/** So much of one colour, and of another one for the rest. */
function mixed(front: Hex, back: Hex, share: number): Hex {
  const behind = partsOf(back)
  return hex(
    partsOf(front).map((part, index) => Math.round(part * share + (behind[index] ?? 0) * (1 - share))),
  )
}

/** Red, green and blue, from 0 to 255. */
export const partsOf = (colour: Hex): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

const hex = (parts: readonly number[]): Hex =>
  `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
