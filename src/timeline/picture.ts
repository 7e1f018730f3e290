import { formatInstant } from '../core/calendar.ts'
import { escapeControls } from '../text/display.ts'
import type { Colour, Span } from '../text/span.ts'
import type { Moment, Note } from './note.ts'
import type { Run } from './runs.ts'

/** A timeline to draw: the past, the border between past and future, and the future. */
export type Picture = {
  readonly past: readonly (Moment | Run)[]
  /** The instant between past and future, and its title. */
  readonly border: { readonly at: number; readonly title: string }
  readonly future: readonly Moment[]
  /** Whether there are earlier entries that are not drawn. */
  readonly isCut: boolean
  /** Whether renewals continue after the last note. */
  readonly goesOn: boolean
}

type Line = readonly Span[]

const GAP_WIDTH = 7
const BORDER_WIDTH = 80

/**
 * Draws a vertical axis of dates. The past is a solid line, doubled while a payment is overdue; the future is dashed.
 * @param width - columns of the terminal
 */
export function drawPicture(picture: Picture, width: number): Line[] {
  const { past, border, future, isCut, goesOn } = picture
  const instants = [...past.flatMap(instantsOf), border.at, ...future.map(({ at }) => at)]
  const page = new Page(instants, width)
  if (isCut) page.add({ axis: '⋮', parts: ['earlier events not shown'], colour: 'dim' })
  for (const entry of past) {
    if ('from' in entry) page.addRun(entry)
    else page.addMoment(entry, { axis: axisOf(entry), above: page.axis })
    page.axis = axisOf(entry)
  }
  page.addBorder(border)
  for (const moment of future) page.addMoment(moment, { axis: '┆', above: '┆' })
  if (goesOn) page.add({ axis: '⋮', parts: [] })
  return page.lines
}

const axisOf = ({ isTroubled }: Moment | Run): string => (isTroubled ? '║' : '│')

const instantsOf = (entry: Moment | Run): number[] => ('from' in entry ? [entry.from, entry.to] : [entry.at])

type Row = {
  readonly at?: number
  readonly axis: string
  /** The axis of the continuation lines of a wrapped note. */
  readonly below?: string
  readonly parts: readonly string[]
  readonly colour?: Colour | undefined
}

class Page {
  readonly lines: Line[] = []
  /** The axis after the previous moment. */
  axis = '│'
  readonly #width: number
  readonly #dateWidth: number
  readonly #hasSeconds: boolean
  #previous: number | undefined

  constructor(instants: readonly number[], width: number) {
    this.#width = width
    this.#hasSeconds = instants.some((instant) => instant % 60 !== 0)
    this.#dateWidth = this.#date(0).length
  }

  /** Draws a moment. Its first line has the date. */
  addMoment({ at, notes }: Moment, { axis, above }: { axis: string; above: string }): void {
    if (notes.length === 0) return
    const turn = notes.findIndex(({ mark }) => mark === '▲' || mark === '▼' || mark === '■')
    notes.forEach(({ mark, parts, colour }: Note, index) => {
      // Before the change of status, the axis is still that of the previous status.
      const below = index < turn ? above : mark === '■' ? ' ' : axis
      this.add({ ...(index === 0 && { at }), axis: mark, below, parts, colour })
    })
  }

  /** Draws a run as three lines with a bracket: the first instant, the summary, the last instant. */
  addRun({ from, to, mark, colour, parts, isTroubled }: Run): void {
    const below = isTroubled ? '║' : '│'
    this.add({ at: from, axis: `${mark} ┐`, parts: [], colour })
    this.add({ axis: `${below} ├`, below: `${below} │`, parts, colour })
    this.add({ at: to, axis: `${mark} ┘`, parts: [], colour })
  }

  addBorder({ at, title }: Picture['border']): void {
    const head = `${this.#date(at)} ${this.#gap(at)} ━┿━ ${title} `
    this.#previous = at
    this.lines.push([{ text: head.padEnd(Math.min(this.#width, BORDER_WIDTH), '━'), colour: 'bold' }])
  }

  add({ at, axis, below = axis, parts, colour }: Row): void {
    const margin =
      at === undefined ? ' '.repeat(this.#dateWidth + GAP_WIDTH + 1) : `${this.#date(at)} ${this.#gap(at)}`
    if (at !== undefined) this.#previous = at
    const room = this.#width - margin.length - axis.length - 3
    const [first = '', ...others] = wrapped(parts, room)
    const paint = (text: string): Span => (colour ? { text, colour } : text)
    const sign = [colour === 'dim' ? paint(margin) : margin, '  ', paint(axis)]
    this.lines.push(first === '' ? sign : [...sign, ' ', paint(first)])
    const blank = ' '.repeat(margin.length + 2)
    for (const text of others) this.lines.push([blank, lineOf(below.padEnd(axis.length)), ' ', paint(text)])
  }

  /** Formats an instant as ISO 8601, with seconds only if any instant of the picture has some. */
  #date(instant: number): string {
    const text = formatInstant(instant)
    return this.#hasSeconds ? text : text.replace(/:00Z$/, 'Z')
  }

  #gap(at: number): string {
    const gap = this.#previous === undefined ? '' : gapText(at - this.#previous)
    return gap.padStart(GAP_WIDTH)
  }
}

/** Colours the axis of a line without a mark. */
const lineOf = (text: string): Span => (text.startsWith('║') ? { text, colour: 'yellow' } : text)

/** Joins parts into lines of at most `room` columns. A longer part is truncated. */
function wrapped(parts: readonly string[], room: number): string[] {
  const lines: string[] = []
  for (const part of parts.map(escapeControls)) {
    const text = part.length > room ? `${part.slice(0, Math.max(0, room - 1))}…` : part
    const last = lines.at(-1)
    if (last !== undefined && last.length + 2 + text.length <= room)
      lines[lines.length - 1] = `${last}  ${text}`
    else lines.push(text)
  }
  return lines
}

/** Units, longest first. A unit is used from `from` seconds on, and for any span that is a multiple of it. */
const UNITS = [
  { unit: 'd', size: 86_400, from: 129_600 },
  { unit: 'h', size: 3_600, from: 5_400 },
  { unit: 'min', size: 60, from: 120 },
  { unit: 's', size: 1, from: 0 },
] as const

/** Formats a gap: `+28 d`, `+1 d`, `+34 h`, `+90 s`; empty for the same instant. */
export function gapText(seconds: number): string {
  const found = UNITS.find(({ size, from }) => seconds % size === 0 || seconds >= from)
  if (seconds <= 0 || !found) return ''
  const amount = seconds / found.size
  const isFine = found.size >= 3_600 && amount < 100
  return `+${isFine ? Number(amount.toFixed(1)) : Math.round(amount)} ${found.unit}`
}
