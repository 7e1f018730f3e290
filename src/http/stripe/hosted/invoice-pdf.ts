import { beginningOf } from '../../../text/beginning.ts'
import { encode } from '../../pdf/helvetica.ts'
import { ACCENT, FAINT, LEADING, LEFT, RIGHT, Sheet, wrapped } from '../../pdf/sheet.ts'
import { writePdf } from '../../pdf/write.ts'
import type { DocumentLine, InvoiceDocument } from './invoice-document.ts'

/** The right edges of the columns with numbers. */
const QUANTITY = 350
const UNIT_PRICE = 455
const DESCRIPTION_WIDTH = 250
const PARTY = 320
const TOTALS = 320

/**
 * Makes the PDF of an invoice. The same invoice gives the same bytes.
 * See docs/contract/hosted-invoices.md#pdf.
 */
export function invoicePdf(given: InvoiceDocument): Buffer {
  const document = shortened(given)
  const sheet = new Sheet()
  putHead(sheet, document)
  putParties(sheet, document)
  putHeadline(sheet, document)
  putLines(sheet, document.lines)
  putTotals(sheet, document)
  const lacking = isComplete(document) ? [] : [LACKING]
  sheet.foot((page, pages) => [
    `${document.number} · ${document.headline} · Page ${page} of ${pages}`,
    ['Test mode: made by the sandbox paytwin. No real money moves.', ...lacking].join(' '),
  ])
  const title = `Invoice ${document.number} from ${document.from}`
  return writePdf({ title, created: document.created, pages: sheet.pages })
}

/** The maximum length of a text, in UTF-16 units. A longer one would run off the end of a sheet. */
const MAX_TEXT = 500

const shortened = (document: InvoiceDocument): InvoiceDocument => ({
  ...document,
  from: shortenedText(document.from),
  to: document.to.map(shortenedText),
  description: document.description && shortenedText(document.description),
  lines: document.lines.map((line) => ({ ...line, description: shortenedText(line.description) })),
})

const shortenedText = (text: string): string =>
  text.length > MAX_TEXT ? `${beginningOf(text, MAX_TEXT)}…` : text

const LACKING = 'Characters that this font lacks are shown as ?.'

/** Reports whether the fonts have all characters of an invoice. */
const isComplete = ({ from, to, description, lines, totals }: InvoiceDocument): boolean =>
  [from, ...to, description ?? '', ...lines.map((line) => line.description), ...totals.flat()].every(
    (text) => encode(text).isComplete,
  )

function putHead(sheet: Sheet, { facts }: InvoiceDocument): void {
  sheet.text('Invoice', LEFT, { font: 'bold', size: 20 })
  sheet.textUpTo('TEST MODE', RIGHT, { font: 'bold', color: ACCENT })
  sheet.y += 28
  for (const [label, value] of facts) {
    sheet.text(label, LEFT, { color: FAINT })
    sheet.text(value, LEFT + 95, { font: 'bold' })
    sheet.y += LEADING
  }
  sheet.y += LEADING
}

function putParties(sheet: Sheet, { from, to }: InvoiceDocument): void {
  const top = sheet.y
  const putParty = (title: string, party: readonly string[], x: number): number => {
    sheet.y = top
    sheet.text(title, x, { color: FAINT })
    for (const line of party) {
      sheet.y += LEADING
      sheet.paragraph(line, x, { width: RIGHT - PARTY })
    }
    return sheet.y
  }
  sheet.y = Math.max(putParty('From', [from], LEFT), putParty('Bill to', to, PARTY)) + 3 * LEADING
}

function putHeadline(sheet: Sheet, { headline, isPayable, url, description }: InvoiceDocument): void {
  sheet.text(headline, LEFT, { font: 'bold', size: 15 })
  if (isPayable) {
    sheet.y += 1.5 * LEADING
    sheet.link('Pay online', url, LEFT)
  }
  if (description !== null) {
    sheet.y += 1.5 * LEADING
    sheet.paragraph(description, LEFT, { width: RIGHT - LEFT })
  }
  sheet.y += 2.5 * LEADING
}

function putLines(sheet: Sheet, lines: readonly DocumentLine[]): void {
  putColumns(sheet)
  for (const line of lines) {
    const description = wrapped(line.description, { width: DESCRIPTION_WIDTH })
    const rows = description.length + (line.period === null ? 0 : 1)
    if (sheet.makeRoom(rows * LEADING)) putColumns(sheet)
    sheet.textUpTo(line.quantity, QUANTITY)
    sheet.textUpTo(line.unitPrice, UNIT_PRICE)
    sheet.textUpTo(line.amount, RIGHT)
    sheet.rows(description, LEFT)
    if (line.period !== null) {
      sheet.y += LEADING
      sheet.text(line.period, LEFT, { color: FAINT, size: 8.5 })
    }
    sheet.y += 1.6 * LEADING
  }
}

function putColumns(sheet: Sheet): void {
  const style = { color: FAINT, size: 8.5 }
  sheet.text('Description', LEFT, style)
  sheet.textUpTo('Qty', QUANTITY, style)
  sheet.textUpTo('Unit price', UNIT_PRICE, style)
  sheet.textUpTo('Amount', RIGHT, style)
  sheet.y += 1.7 * LEADING
  sheet.rule()
}

function putTotals(sheet: Sheet, { totals, due: [label, value] }: InvoiceDocument): void {
  sheet.makeRoom((totals.length + 1) * 1.6 * LEADING)
  sheet.y += 0.5 * LEADING
  for (const [name, amount] of totals) {
    sheet.rule(TOTALS)
    sheet.paragraph(name, TOTALS, { width: 140 })
    sheet.textUpTo(amount, RIGHT)
    sheet.y += 1.6 * LEADING
  }
  sheet.rule(TOTALS)
  sheet.text(label, TOTALS, { font: 'bold' })
  sheet.textUpTo(value, RIGHT, { font: 'bold' })
}
