import { amountOf, dueOf, MAX_AMOUNT, netOf, totalOf } from './model-amounts.ts'
import { changeBalance } from './model-balance.ts'
import { noteSettled } from './model-billing.ts'
import { isDisputed } from './model-dispute.ts'
import type { Operation } from './model-events.ts'
import type { Charge, CreditNote, Refund } from './model-money.ts'
import {
  type Customer,
  type Invoice,
  type Line,
  type Merchant,
  named,
  newKey,
  type Subscription,
} from './model-state.ts'

/** What a request credits, and how it gives back what is not off the amount due. */
export type Wanted = {
  readonly lines: CreditNote['lines']
  readonly refundAmount: number
  readonly toBalance: number
  readonly outOfBand: number
  /** An existing refund that is linked. */
  readonly linked: Refund | null
}

const issuedOf = ({ notes }: Merchant, { key }: Invoice): CreditNote[] =>
  notes.filter(({ invoice, status }) => invoice === key && status === 'issued')

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

/** Refunds of an invoice's charge that no issued credit note has. */
export function looseRefunds(merchant: Merchant, invoice: Invoice): Refund[] {
  const taken = issuedOf(merchant, invoice).map(({ refund }) => refund)
  return merchant.refunds.filter(
    ({ key, charge, status }) => charge === invoice.charge && status !== 'failed' && !taken.includes(key),
  )
}

/** What can still be credited. See docs/contract/credit-notes.md#limits. */
export const creditable = (merchant: Merchant, invoice: Invoice): number =>
  totalOf(invoice) -
  sum(issuedOf(merchant, invoice).map(amountOf)) -
  sum(looseRefunds(merchant, invoice).map(({ amount }) => amount))

/** What can still be credited of a line. See docs/contract/credit-notes.md#lines. */
export const creditableOfLine = (merchant: Merchant, invoice: Invoice, place: number): number =>
  creditableIn(invoice.lines[place]) -
  sum(
    issuedOf(merchant, invoice)
      .flatMap(({ lines }) => lines)
      .filter(({ line }) => line === place)
      .map(({ amount }) => amount),
  )

/** Discounts reduce what can be credited. */
const creditableIn = (line: Line | undefined): number => (line ? Math.max(0, netOf(line)) : 0)

/** What is off the amount due; the rest is given back. See docs/contract/credit-notes.md#creating. */
export const offDue = (invoice: Invoice, amount: number): number =>
  invoice.status === 'open' ? Math.min(amount, dueOf(invoice)) : 0

/** Whether a credit note can be issued. */
export function isAllowed(merchant: Merchant, invoice: Invoice, wanted: Wanted): boolean {
  const { lines, refundAmount, toBalance, outOfBand, linked } = wanted
  const amount = amountOf(wanted)
  if (invoice.status !== 'open' && invoice.status !== 'paid') return false
  if (amount <= 0 || amount > creditable(merchant, invoice) + (linked?.amount ?? 0)) return false
  for (const { line, amount: ofLine } of lines)
    if (line !== null && ofLine > creditableOfLine(merchant, invoice, line)) return false
  const rest = amount - offDue(invoice, amount)
  if (refundAmount + toBalance + outOfBand + (linked?.amount ?? 0) !== rest) return false
  if (refundAmount > 0) {
    const charged = merchant.charges.find(({ key }) => key === invoice.charge)
    if (isDisputed(merchant, invoice.charge)) return false
    if (!charged?.succeeded || charged.amount - charged.refunded < refundAmount) return false
  }
  const { balances } = named<Customer>(merchant.customers, invoice.customer)
  return toBalance === 0 || Math.abs((balances.usd ?? 0) - toBalance) <= MAX_AMOUNT
}

/** Makes a credit note without its effects. */
export function newNote(merchant: Merchant, invoice: Invoice, wanted: Wanted): CreditNote {
  return {
    key: newKey(merchant, 'cn'),
    invoice: invoice.key,
    customer: invoice.customer,
    status: 'issued',
    number: merchant.notes.filter((note) => note.invoice === invoice.key).length + 1,
    lines: wanted.lines,
    pre: offDue(invoice, amountOf(wanted)),
    refund: wanted.linked?.key ?? (wanted.refundAmount > 0 ? newKey(merchant, 're') : null),
    toBalance: wanted.toBalance,
    outOfBand: wanted.outOfBand,
    voidedAt: null,
  }
}

/** See docs/contract/credit-notes.md#open-invoices. */
export function issue(
  operation: Operation,
  { invoice, subscription, wanted }: { invoice: Invoice; subscription: Subscription | null; wanted: Wanted },
): CreditNote {
  const { merchant, at } = operation
  const note = newNote(merchant, invoice, wanted)
  merchant.notes.push(note)
  takeOff(merchant, invoice, note.pre)
  invoice.credited.post += amountOf(note) - note.pre
  if (invoice.status === 'open' && dueOf(invoice) === 0) {
    invoice.status = 'paid'
    invoice.paidAt = at
    invoice.next = null
    const intent = merchant.intents.find(({ key }) => key === invoice.intent)
    if (intent) intent.status = 'canceled'
    operation.tellOfInvoice('invoice.paid', invoice)
    if (subscription) noteSettled(operation, subscription, invoice)
  }
  if (wanted.refundAmount > 0) {
    const charged = named<Charge>(merchant.charges, invoice.charge ?? 'a charge')
    charged.refunded += wanted.refundAmount
    const refund: Refund = {
      key: note.refund ?? '',
      charge: charged.key,
      amount: wanted.refundAmount,
      created: at,
      status: charged.refundsFail ? 'pending' : 'succeeded',
    }
    merchant.refunds.push(refund)
    operation.tellOfRefund('refund.created', refund)
    operation.tellOfCharge('charge.refunded', charged)
  }
  const customer = named<Customer>(merchant.customers, invoice.customer)
  const change = { currency: 'usd', invoice: invoice.key, type: 'credit_note' as const }
  changeBalance(customer, { ...change, amount: -wanted.toBalance })
  operation.tellOfNote('credit_note.created', note)
  return note
}

/** Reduces the amount due, and the amount of the intent, which stays above 0. */
export function takeOff(merchant: Merchant, invoice: Invoice, amount: number): void {
  invoice.credited.pre += amount
  const intent = merchant.intents.find(({ key }) => key === invoice.intent)
  if (invoice.status === 'open' && intent && dueOf(invoice) > 0) intent.amount = dueOf(invoice)
}
