import { encode, FONTS, type Font } from './helvetica.ts'

/** The size of a page in points: US Letter. */
export const PAGE = { width: 612, height: 792 } as const

/** An element of a page. Positions are in points from the top left corner; `y` of a text is its baseline. */
export type Mark =
  | {
      readonly kind: 'text'
      readonly text: string
      readonly x: number
      readonly y: number
      readonly size: number
      readonly font: Font
      readonly color: Color
    }
  | { readonly kind: 'rule'; readonly x: number; readonly y: number; readonly width: number }
  | {
      readonly kind: 'link'
      readonly url: string
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
    }

/** Red, green and blue, from 0 to 1, as PDF writes them. */
export type Color = `${number} ${number} ${number}`

const RULE_COLOR: Color = '0.82 0.84 0.87'

export type Document = {
  readonly title: string
  /** The time in the document's information, in Unix seconds. */
  readonly created: number
  readonly pages: readonly (readonly Mark[])[]
}

/**
 * Writes a PDF. The same document gives the same bytes.
 *
 * paytwin: a library would be a fifth of the program (pdf-lib) or lack accents and bold text (tinypdf), and a document of
 * texts, lines and links needs little of the format. Source: ISO 32000-1, 7.5.
 */
export function writePdf({ title, created, pages }: Document): Buffer {
  const file = new ObjectFile()
  const fonts = Object.values(FONTS).map((name) =>
    file.add(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`),
  )
  const tree = file.reserve()
  const resources = `<< /Font << ${fonts.map((font, index) => `/F${index} ${font} 0 R`).join(' ')} >> >>`
  const kids = pages.map((marks) => {
    const content = file.addStream(marks.map(operatorsOf).join(''))
    const links = marks.flatMap((mark) => (mark.kind === 'link' ? [file.add(annotationOf(mark))] : []))
    const annotations = links.length === 0 ? '' : ` /Annots [${links.map((link) => `${link} 0 R`).join(' ')}]`
    return file.add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /Resources ${resources} /Contents ${content} 0 R${annotations} >>`,
    )
  })
  file.set(
    tree,
    `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] /Count ${kids.length} >>`,
  )
  const root = file.add(
    `<< /Type /Catalog /Pages ${tree} 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>`,
  )
  const info = file.add(
    `<< /Title ${unicodeString(title)} /Producer (paytwin) /CreationDate (${instantText(created)}) >>`,
  )
  return file.finish(root, info)
}

/** Collects the numbered objects of a file. */
class ObjectFile {
  readonly #objects: string[] = []

  /** Reserves the number of an object that is added later. */
  reserve(): number {
    return this.#objects.push('')
  }

  add(object: string): number {
    return this.#objects.push(object)
  }

  addStream(content: string): number {
    return this.add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
  }

  set(number: number, object: string): void {
    this.#objects[number - 1] = object
  }

  /** Returns the file with its cross-reference table. Each character is a byte. */
  finish(root: number, info: number): Buffer {
    let text = '%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n'
    let table = `xref\n0 ${this.#objects.length + 1}\n0000000000 65535 f \n`
    for (const [index, object] of this.#objects.entries()) {
      table += `${String(text.length).padStart(10, '0')} 00000 n \n`
      text += `${index + 1} 0 obj\n${object}\nendobj\n`
    }
    const size = this.#objects.length + 1
    const trailer = `trailer\n<< /Size ${size} /Root ${root} 0 R /Info ${info} 0 R >>`
    return Buffer.from(`${text}${table}${trailer}\nstartxref\n${text.length}\n%%EOF\n`, 'latin1')
  }
}

function operatorsOf(mark: Mark): string {
  switch (mark.kind) {
    case 'text':
      return `BT /F${Object.keys(FONTS).indexOf(mark.font)} ${mark.size} Tf ${mark.color} rg ${place(mark)} Td ${textString(mark.text)} Tj ET\n`
    case 'rule':
      return `${RULE_COLOR} RG 0.75 w ${place(mark)} m ${place({ x: mark.x + mark.width, y: mark.y })} l S\n`
    case 'link':
      return ''
  }
}

const annotationOf = (link: Mark & { kind: 'link' }): string => {
  const corners = `${place({ x: link.x, y: link.y + link.height })} ${place({ x: link.x + link.width, y: link.y })}`
  return `<< /Type /Annot /Subtype /Link /Rect [${corners}] /Border [0 0 0] /A << /S /URI /URI ${textString(link.url)} >> >>`
}

/** Formats a position in PDF's coordinates, whose origin is the bottom left corner. */
const place = ({ x, y }: { x: number; y: number }): string => `${number(x)} ${number(PAGE.height - y)}`

const number = (value: number): string => String(Math.round(value * 100) / 100)

/** Writes a text in the encoding of the fonts. */
const textString = (text: string): string =>
  `(${String.fromCharCode(...encode(text).bytes).replaceAll(/[\\()]/g, '\\$&')})`

/** Writes a text of the document's information, which can have any character. */
function unicodeString(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return `<FEFF${units.map((unit) => unit.toString(16).padStart(4, '0')).join('')}>`
}

/** Formats an instant, such as `D:20260131100000Z`. */
const instantText = (instant: number): string =>
  `D:${new Date(instant * 1_000).toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`
