import { describe, expect, test } from 'vitest'
import type { InvoiceDocument } from '../../../../src/http/stripe/hosted/invoice-document.ts'
import { invoicePdf } from '../../../../src/http/stripe/hosted/invoice-pdf.ts'
import { readPdf } from '../../../pdf.ts'
import { leastProcessorTime } from '../../../processor-time.ts'

/** The maximum processor time of a PDF, in milliseconds. Other requests wait for it. */
const MAX_MS = 150

const line = (index: number) => ({
  description: `Item ${index + 1}`,
  period: index % 10 === 0 ? '2026-01-31 to 2026-02-28' : null,
  quantity: '1',
  unitPrice: '1.00 USD',
  amount: '1.00 USD',
})
const documentWith = (count: number, change: Partial<InvoiceDocument> = {}): InvoiceDocument => ({
  number: 'ABCDEFGH-0001',
  headline: '100.00 USD due',
  status: 'open',
  isPayable: true,
  facts: [['Invoice number', 'ABCDEFGH-0001']],
  from: 'Acme',
  to: ['Ada'],
  description: null,
  lines: Array.from({ length: count }, (_, index) => line(index)),
  totals: [
    ['Subtotal', '100.00 USD'],
    ['Total', '100.00 USD'],
  ],
  due: ['Amount due', '100.00 USD'],
  url: 'http://localhost/i/a',
  pdfUrl: 'http://localhost/i/a/pdf',
  created: 1_769_853_600,
  ...change,
})

/** The lowest baseline of the texts of each page, in points from the bottom. */
const lowest = (pdf: Buffer) =>
  [...pdf.toString('latin1').matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, content = '']) =>
    Math.min(...[...content.matchAll(/([\d.]+) Td/g)].map(([, y]) => Number(y))),
  )

describe('the PDF of an invoice', () => {
  test('goes on to further pages, with all of 100 lines in order', () => {
    const pdf = invoicePdf(documentWith(100))
    const { pages } = readPdf(pdf)
    expect(pages.length).toBe(4)
    const items = pages.flat().filter((text) => text.startsWith('Item '))
    expect(items).toEqual(Array.from({ length: 100 }, (_, index) => `Item ${index + 1}`))
    for (const [index, page] of pages.entries()) {
      expect(page.filter((text) => text === 'Unit price')).toHaveLength(1)
      expect(page.at(-2)).toBe(`ABCDEFGH-0001 \u00b7 100.00 USD due \u00b7 Page ${index + 1} of 4`)
    }
    expect(pages.at(-1)?.slice(-8, -2)).toEqual([
      ...['Subtotal', '100.00 USD', 'Total', '100.00 USD'],
      ...['Amount due', '100.00 USD'],
    ])
    expect(lowest(pdf)).toEqual([31, 31, 31, 31])
  })

  test('keeps the totals together on the next page if they do not fit', () => {
    const counts = Array.from({ length: 40 }, (_, index) => index)
    const breaks = counts.filter((count) => readPdf(invoicePdf(documentWith(count))).pages.length === 1)
    const { pages } = readPdf(invoicePdf(documentWith(breaks.length)))
    expect(pages).toHaveLength(2)
    expect(pages[1]).toEqual(expect.arrayContaining(['Subtotal', 'Total', 'Amount due']))
    expect(pages[0]).not.toContain('Subtotal')
  })

  test('breaks long descriptions, names and parties into lines', () => {
    const long = 'incomprehensibilities '.repeat(12).trim()
    const lines = [{ ...line(0), description: long }]
    const { pages } = readPdf(invoicePdf(documentWith(1, { lines, to: [long], description: long })))
    const words = pages.flat().join(' ').split(' ')
    expect(words.filter((word) => word === 'incomprehensibilities')).toHaveLength(36)
    expect(Math.max(...pages.flat().map((text) => text.length))).toBeLessThan(130)
  })

  test('shows the first 500 characters of long texts, on the sheet', () => {
    const long = 'Wide '.repeat(1_000)
    const lines = [{ ...line(0), description: long }]
    const pdf = invoicePdf(documentWith(1, { lines, from: long, to: [long], description: long }))
    const { pages } = readPdf(pdf)
    const words = pages.flat().join(' ').split(' ')
    expect(words.filter((word) => word === 'Wide')).toHaveLength(400)
    expect(words.filter((word) => word === '\u0085')).toHaveLength(4)
    expect(Math.min(...lowest(pdf))).toBe(31)
  })

  test.each([
    ['a letter without its accent', 'ő'],
    ['a ligature of 18 letters', 'ﷺ'],
    ['a syllable of Hangul', '각'],
    ['accents in the wrong order', '\u0301\u0323'],
  ])('takes little time for 250 long descriptions with %s', async (_, text) => {
    const description = `a${text.repeat(5_000 / text.length - 1)}`
    const document = documentWith(1, {
      lines: Array.from({ length: 250 }, () => ({ ...line(0), description })),
    })
    expect(await leastProcessorTime(() => invoicePdf(document), MAX_MS)).toBeLessThanOrEqual(MAX_MS)
  })

  test('has the same bytes each time', () => {
    expect(invoicePdf(documentWith(100)).equals(invoicePdf(documentWith(100)))).toBe(true)
  })
})
