import { amountTooLarge, parameterInvalid, parameterMissing } from './errors.ts'
import type { Invoice } from './invoice.ts'
import { type InvoiceLine, netAmount, wholeQuantity } from './invoice-line.ts'
import { isCreditable } from './invoice-status.ts'
import type { Metadata } from './metadata.ts'
import { MAX_AMOUNT, roundedQuotient, total } from './money.ts'
import { SCALE, scaled } from './price-amount.ts'
import { move, type Transitions } from './transitions.ts'

export const CREDIT_NOTE_STATUSES = ['issued', 'void'] as const
export type CreditNoteStatus = (typeof CREDIT_NOTE_STATUSES)[number]

/** See docs/contract/credit-notes.md#status. */
const CREDIT_NOTE_TRANSITIONS: Transitions<CreditNoteStatus, 'void'> = {
  issued: { void: 'void' },
  void: {},
}

export const CREDIT_NOTE_REASONS = [
  'duplicate',
  'fraudulent',
  'order_change',
  'product_unsatisfactory',
] as const
type CreditNoteReason = (typeof CREDIT_NOTE_REASONS)[number]

export const CREDIT_LINE_TYPES = ['invoice_line_item', 'custom_line_item'] as const
type CreditLineType = (typeof CREDIT_LINE_TYPES)[number]

/** One line of a credit note. The amount is positive. */
export type CreditNoteLine = {
  readonly id: string
  readonly type: CreditLineType
  readonly amount: number
  readonly description: string | null
  readonly invoice_line_item: string | null
  /** null for a part of a line that was given as an amount. */
  readonly quantity: number | null
  readonly unit_amount: number | null
}

/** A credit note. Amounts are positive, in the invoice's currency and smallest unit. See docs/contract/credit-notes.md#fields. */
export type CreditNote = {
  readonly id: string
  readonly created: number
  readonly status: CreditNoteStatus
  readonly number: string
  readonly customer: string
  readonly invoice: string
  readonly currency: string
  /** The sum of the lines. */
  readonly amount: number
  /** The amount by which it reduced the amount due of an open invoice. */
  readonly pre_payment_amount: number
  /** The amount that it gave back of a paid invoice: the sum of the next three amounts. */
  readonly post_payment_amount: number
  /** The part that was refunded. Not part of the API's object. */
  readonly refund_amount: number
  /** The part that was credited to the customer's balance. Not part of the API's object. */
  readonly credit_amount: number
  readonly out_of_band_amount: number
  readonly refund: string | null
  readonly customer_balance_transaction: string | null
  readonly lines: readonly CreditNoteLine[]
  readonly reason: CreditNoteReason | null
  readonly memo: string | null
  readonly metadata: Metadata
  readonly voided_at: number | null
  readonly test_clock: string | null
}

/** A requested line: a part of a line of the invoice, or one of its own. Which fields belong to which type is checked here. */
export type CreditLineRequest = {
  readonly type: CreditLineType
  readonly invoice_line_item?: string | undefined
  readonly amount?: number | undefined
  readonly quantity?: number | undefined
  readonly unit_amount?: number | undefined
  readonly description?: string | undefined
}

/** Reports whether a credit note still credits its invoice. */
export const isIssued = ({ status }: CreditNote): boolean => status === 'issued'

/** What the next credit note of an invoice needs to know about the earlier ones. */
export type EarlierCredits = {
  /** The number of credit notes, void ones too. */
  readonly count: number
  /** The sum that issued credit notes credit of each line that is credited again, by the id of the line. */
  readonly byLine: ReadonlyMap<string, number>
}

/** Returns the number of the next credit note of an invoice. See docs/contract/credit-notes.md#numbers. */
export const creditNoteNumber = ({ number }: Invoice, { count }: EarlierCredits): string =>
  `${number}-CN-${String(count + 1).padStart(2, '0')}`

/** paytwin: how many credit notes an invoice can have, void ones too. */
export const MAX_CREDIT_NOTES = 500

/**
 * Checks that an invoice can be credited.
 * @throws ApiError parameter_invalid, param invoice
 * See docs/contract/credit-notes.md#creating.
 */
export function checkCreditable(invoice: Invoice, { count }: EarlierCredits): void {
  if (!isCreditable(invoice))
    throw parameterInvalid(
      'invoice',
      `Only an open or paid invoice can be credited, but the status of '${invoice.id}' is ${invoice.status}`,
    )
  if (count >= MAX_CREDIT_NOTES)
    throw parameterInvalid('invoice', `An invoice can have at most ${MAX_CREDIT_NOTES} credit notes`)
}

/**
 * Returns how much of an invoice can still be credited, at least 0.
 * @param refundedApart - the refunds of its charge that belong to no credit note
 * See docs/contract/credit-notes.md#limits.
 */
export const creditable = (invoice: Invoice, refundedApart: number): number =>
  Math.max(
    0,
    invoice.total -
      invoice.pre_payment_credit_notes_amount -
      invoice.post_payment_credit_notes_amount -
      refundedApart,
  )

/**
 * Makes the lines of a credit note: the requested ones, or one line of the requested amount.
 * @throws ApiError parameter_missing, parameter_invalid, amount_too_large
 * See docs/contract/credit-notes.md#lines.
 */
export function creditLines(
  invoice: Invoice,
  earlier: EarlierCredits,
  given: {
    amount: number | undefined
    lines: readonly CreditLineRequest[] | undefined
    newId: (prefix: string) => string
  },
): CreditNoteLine[] {
  const { amount, lines, newId } = given
  if (lines === undefined) {
    if (amount === undefined) throw parameterMissing('amount', 'Missing required parameter: amount, or lines')
    return [customLine(newId('cnli'), { unit_amount: amount, quantity: 1, description: null })]
  }
  const credited = new Map(earlier.byLine)
  const made = lines.map((line, index) => {
    const param = `lines[${index}]`
    checkFields(line, param)
    if (line.type === 'custom_line_item') return customLineOf(line, newId('cnli'), param)
    const part = partOfLine(invoice, credited, { line, id: newId('cnli'), param })
    credited.set(
      part.invoice_line_item ?? '',
      (credited.get(part.invoice_line_item ?? '') ?? 0) + part.amount,
    )
    return part
  })
  const sum = total(made.map((line) => line.amount))
  if (amount !== undefined && amount !== sum) {
    throw parameterInvalid('amount', `The amount is ${amount}, but the sum of the lines is ${sum}`)
  }
  return made
}

/** The required fields of each type of line, in the order in which errors name them. */
const FIELDS = {
  invoice_line_item: { required: ['invoice_line_item'], refused: ['unit_amount', 'description'] },
  custom_line_item: {
    required: ['description', 'unit_amount', 'quantity'],
    refused: ['invoice_line_item', 'amount'],
  },
} as const

function checkFields(line: CreditLineRequest, param: string): void {
  const { required, refused } = FIELDS[line.type]
  for (const name of required) if (line[name] === undefined) throw parameterMissing(`${param}[${name}]`)
  for (const name of refused) {
    if (line[name] !== undefined)
      throw parameterInvalid(`${param}[${name}]`, `${name} does not apply to a line of type ${line.type}`)
  }
}

function customLineOf(line: CreditLineRequest, id: string, param: string): CreditNoteLine {
  const { unit_amount = 0, quantity = 0, description = null } = line
  if (unit_amount * quantity > MAX_AMOUNT)
    throw amountTooLarge(`The amount of ${param} exceeds the maximum of ${MAX_AMOUNT}`)
  return customLine(id, { unit_amount, quantity, description })
}

const customLine = (
  id: string,
  {
    unit_amount,
    quantity,
    description,
  }: { unit_amount: number; quantity: number; description: string | null },
): CreditNoteLine => ({
  id,
  type: 'custom_line_item',
  amount: unit_amount * quantity,
  description,
  invoice_line_item: null,
  quantity,
  unit_amount,
})

/** Credits a part of a line of the invoice: an amount, or the share of a quantity. */
function partOfLine(
  invoice: Invoice,
  credited: ReadonlyMap<string, number>,
  { line, id, param }: { line: CreditLineRequest; id: string; param: string },
): CreditNoteLine {
  const billed = invoice.lines.find((one) => one.id === line.invoice_line_item)
  if (!billed) {
    throw parameterInvalid(
      `${param}[invoice_line_item]`,
      `The invoice '${invoice.id}' has no line '${line.invoice_line_item}'`,
    )
  }
  if (line.amount !== undefined && line.quantity !== undefined)
    throw parameterInvalid(`${param}[quantity]`, 'Use amount or quantity, not both')
  const amount = line.amount ?? shareOf(billed, line.quantity, param)
  const rest = Math.max(0, netAmount(billed)) - (credited.get(billed.id) ?? 0)
  if (amount > rest) {
    throw parameterInvalid(
      `${param}[${line.quantity === undefined ? 'amount' : 'quantity'}]`,
      `At most ${rest} of the line '${billed.id}' can still be credited, not ${amount}`,
    )
  }
  return {
    id,
    type: 'invoice_line_item',
    amount,
    description: billed.description ?? null,
    invoice_line_item: billed.id,
    quantity: line.quantity ?? null,
    unit_amount: line.quantity === undefined ? null : billed.unit_amount,
  }
}

/** Returns the share of a quantity in the amount of a line after discounts, rounded half away from zero. */
function shareOf(billed: InvoiceLine, quantity: number | undefined, param: string): number {
  if (quantity === undefined)
    throw parameterMissing(`${param}[amount]`, `Missing required parameter: ${param}[amount], or quantity`)
  const quantity_decimal = wholeQuantity(billed)
  const whole = scaled(quantity_decimal)
  const part = BigInt(quantity) * SCALE
  if (part > whole) {
    throw parameterInvalid(
      `${param}[quantity]`,
      `The quantity of the line '${billed.id}' is ${quantity_decimal}, so ${quantity} cannot be credited`,
    )
  }
  const amount = roundedQuotient(BigInt(netAmount(billed)) * part, whole)
  if (amount > 0) return amount
  throw parameterInvalid(`${param}[quantity]`, `The line '${billed.id}' has no amount that can be credited`)
}

/** Marks a credit note void. @throws ApiError invalid_state_transition */
export const voidedNote = (note: CreditNote, now: number): CreditNote => ({
  ...note,
  status: move(CREDIT_NOTE_TRANSITIONS, note.status, 'void'),
  voided_at: now,
})
