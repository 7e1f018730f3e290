import { type Font, widthOf, wrap } from './helvetica.ts'
import { type Color, type Mark, PAGE } from './write.ts'

const INK: Color = '0.11 0.13 0.16'
export const FAINT: Color = '0.34 0.38 0.42'
export const ACCENT: Color = '0.04 0.34 0.69'

/** The left and right margins, in points from the left. */
export const LEFT = 50
export const RIGHT = PAGE.width - LEFT
export const LEADING = 13

const BODY = 9.5
const TOP = 60
/** Below this, blocks go to the next page. */
const BOTTOM = PAGE.height - 70

export type Style = { readonly font?: Font; readonly size?: number; readonly color?: Color }

/** Pages that are filled from top to bottom. */
export class Sheet {
  readonly pages: Mark[][] = [[]]
  /** The baseline of the current line. */
  y = TOP

  /** Puts a text on the current line. */
  text(text: string, x: number, style: Style = {}): void {
    this.#put({ kind: 'text', text, x, y: this.y, ...completed(style) })
  }

  /** Puts a text on the current line, right-aligned at `right`. */
  textUpTo(text: string, right: number, style: Style = {}): void {
    const { font, size } = completed(style)
    this.text(text, right - widthOf(text, font, size), style)
  }

  /**
   * Puts a text on the current line and the lines below it, at most `width` points wide. The last line becomes the current
   * line.
   */
  paragraph(text: string, x: number, { width, ...style }: Style & { width: number }): void {
    this.rows(wrapped(text, { width, ...style }), x, style)
  }

  /** Puts texts on the current line and the lines below it. The last line becomes the current line. */
  rows(texts: readonly string[], x: number, style: Style = {}): void {
    for (const [index, text] of texts.entries()) {
      if (index > 0) this.y += LEADING
      this.text(text, x, style)
    }
  }

  /** Puts a text that links to a page. */
  link(text: string, url: string, x: number): void {
    const style = completed({ font: 'bold', color: ACCENT })
    this.text(text, x, style)
    const width = widthOf(text, style.font, style.size)
    this.#put({ kind: 'link', url, x, y: this.y - LEADING + 3, width, height: LEADING })
  }

  /** Draws a line from `x` to the right margin, above the current line. */
  rule(x = LEFT): void {
    this.#put({ kind: 'rule', x, y: this.y - LEADING, width: RIGHT - x })
  }

  /** Begins a new page if a block of this height does not fit below the current line. @returns whether it began one */
  makeRoom(height: number): boolean {
    if (this.y + height <= BOTTOM) return false
    this.pages.push([])
    this.y = TOP
    return true
  }

  /** Adds a footer to every page. */
  foot(lines: (page: number, pages: number) => readonly string[]): void {
    for (const [index, marks] of this.pages.entries()) {
      for (const [row, text] of lines(index + 1, this.pages.length).entries()) {
        const y = BOTTOM + 2 * LEADING + row * LEADING
        marks.push({ kind: 'text', text, x: LEFT, y, ...completed({ size: 8, color: FAINT }) })
      }
    }
  }

  #put(mark: Mark): void {
    this.pages.at(-1)?.push(mark)
  }
}

/** Breaks a text into lines that are at most `width` points wide. */
export function wrapped(text: string, { width, ...style }: Style & { width: number }): string[] {
  const { font, size } = completed(style)
  return wrap(text, { font, size, width })
}

const completed = ({ font = 'regular', size = BODY, color = INK }: Style): Required<Style> => ({
  font,
  size,
  color,
})
