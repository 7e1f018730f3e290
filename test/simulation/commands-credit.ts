import { amountOf, dueOf, MAX_AMOUNT } from './model-amounts.ts'
import { copyOf } from './model-copy.ts'
import {
  creditable,
  creditableOfLine,
  isAllowed,
  issue,
  looseRefunds,
  newNote,
  offDue,
  takeOff,
  type Wanted,
} from './model-credit.ts'
import {
  type Command,
  done,
  invoiceIn,
  isOfLiving,
  operationOn,
  refused,
  subscriptionOf,
  type Table,
} from './model-play.ts'
import { LINES_SHOWN, ref, type Shown, showNote } from './model-shown.ts'
import { type Invoice, named } from './model-state.ts'

/** Issues a credit note. See docs/contract/credit-notes.md#creating. */
export const creditInvoice: Command = (table) => {
  const asked = ask(table)
  if (!asked) return null
  const { invoice, wanted, body } = asked
  const play = { method: 'POST' as const, path: '/v1/credit_notes', body }
  if (!isAllowed(table.merchant, invoice, wanted)) return refused(play)
  const operation = operationOn(table, invoice)
  const subscription = subscriptionOf(table, invoice)
  const note = issue(operation, { invoice, subscription, wanted })
  return done({ ...play, emitted: operation.end(), returns: showNote(note) })
}

/** A preview writes nothing. See docs/contract/credit-notes.md#preview. */
export const previewNote: Command = (table) => {
  const asked = ask(table)
  if (!asked) return null
  const { invoice, wanted, body } = asked
  const query = inQuery(body)
  const play = { method: 'GET' as const, path: `/v1/credit_notes/preview?${query}` }
  const merchant = copyOf(table.merchant)
  if (!isAllowed(merchant, invoice, wanted)) return refused(play)
  const { refund: _, ...shown } = showNote(newNote(merchant, invoice, wanted))
  return done({ ...play, returns: { ...shown, id: null } })
}

/** See docs/contract/credit-notes.md#voiding. */
export const voidNote: Command = (table) => {
  const { merchant, dice } = table
  const note = dice.any(merchant.notes.filter(({ customer }) => isOfLiving(table, customer)).slice(-10))
  if (!note) return null
  const play = { method: 'POST' as const, path: `/v1/credit_notes/{${note.key}}/void` }
  const invoice = named<Invoice>(merchant.invoices, note.invoice)
  if (note.status === 'void' || invoice.status !== 'open') return refused(play)
  const operation = operationOn(table, invoice)
  note.status = 'void'
  note.voidedAt = operation.at
  takeOff(merchant, invoice, -note.pre)
  operation.tellOfNote('credit_note.voided', note)
  return done({ ...play, emitted: operation.end() })
}

type Asked = { readonly invoice: Invoice; readonly wanted: Wanted; readonly body: Record<string, unknown> }

/** Chooses an invoice, an amount at the limits or within, and how it is given back. */
function ask(table: Table): Asked | null {
  const { merchant, dice } = table
  const invoice = dice.chance(90)
    ? dice.chance(60)
      ? (invoiceIn(table, 'open') ?? invoiceIn(table, 'paid'))
      : invoiceIn(table, 'paid')
    : invoiceIn(table, 'draft', 'void', 'uncollectible')
  if (!invoice) return null
  const left = creditable(merchant, invoice)
  const loose = dice.chance(25) ? dice.any(looseRefunds(merchant, invoice)) : undefined
  const places = Math.min(invoice.lines.length, LINES_SHOWN)
  const place = places > 0 && dice.chance(40) ? dice.below(places) : null
  const most = place === null ? left : creditableOfLine(merchant, invoice, place)
  const off = dueOf(invoice)
  const amount = loose
    ? offDue(invoice, off) + loose.amount
    : dice.of([1, most, most, Math.ceil(most / 2), Math.ceil(most / 3), off, off - 1, most + 1])
  if (amount <= 0 || amount > MAX_AMOUNT) return null
  // A line of its own beside that of the invoice.
  const own = place !== null && dice.chance(30) ? dice.between(1, 500) : 0
  const lines = [
    ...(place === null ? [] : [{ amount, line: place }]),
    ...(place === null || own > 0 ? [{ amount: place === null ? amount : own, line: null }] : []),
  ]
  const rest = amountOf({ lines }) - offDue(invoice, amountOf({ lines }))
  const back = loose ? 0 : dice.chance(4) ? rest + 1 : rest
  const [first, second] = [dice.chance(40) ? back : Math.floor(back / 2), dice.below(3)]
  const parts = [0, 1, 2].map((way) => (way === second ? first : way === (second + 1) % 3 ? back - first : 0))
  const [refundAmount = 0, toBalance = 0, outOfBand = 0] = parts
  const wanted: Wanted = { lines, refundAmount, toBalance, outOfBand, linked: loose ?? null }
  const body = {
    invoice: ref(invoice.key),
    ...(place === null ? { amount } : { lines: lines.map((line) => entry(invoice, line)) }),
    ...(refundAmount > 0 && { refund_amount: refundAmount }),
    ...(toBalance > 0 && { credit_amount: toBalance }),
    ...(outOfBand > 0 && { out_of_band_amount: outOfBand }),
    ...(loose && { refund: ref(loose.key) }),
  }
  return { invoice, wanted, body }
}

const entry = ({ key }: Invoice, { amount, line }: Wanted['lines'][number]): Shown =>
  line === null
    ? { type: 'custom_line_item', unit_amount: amount, quantity: 1, description: 'Goodwill' }
    : { type: 'invoice_line_item', invoice_line_item: `{line ${line} of ${key}}`, amount }

/** Writes a body as a query: `lines[0][amount]=5`. */
const inQuery = (value: unknown, name = ''): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, each]) => inQuery(each, name === '' ? key : `${name}[${key}]`))
        .join('&')
    : `${name}=${value}`
