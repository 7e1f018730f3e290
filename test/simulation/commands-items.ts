import { ref } from './model-events.ts'
import {
  type Command,
  done,
  invoiceIn,
  isOfLiving,
  livingCustomers,
  refused,
  type Table,
} from './model-play.ts'
import { type Invoice, type InvoiceItem, named, newKey } from './model-state.ts'

/** Creates an item that is pending for the next manual invoice, or names a draft. */
export const createItem: Command = (table) => {
  const { merchant, dice } = table
  const invoice = dice.chance(50) ? invoiceIn(table, 'draft', 'draft', 'draft', 'open') : undefined
  const customer = invoice?.customer ?? dice.any(livingCustomers(table))?.key
  if (customer === undefined) return null
  const amount = dice.between(1, 5_000)
  const body = {
    customer: ref(customer),
    amount,
    currency: 'usd',
    ...(invoice && { invoice: ref(invoice.key) }),
  }
  const play = { method: 'POST' as const, path: '/v1/invoiceitems', body }
  if (invoice && invoice.status !== 'draft') return refused(play)
  if (invoice) invoice.total += amount
  const key = newKey(merchant, 'ii')
  merchant.items.push({
    key,
    customer,
    isOwn: invoice !== undefined,
    amount,
    invoice: invoice?.key ?? null,
  })
  return done({ ...play, makes: { [key]: 'id' } })
}

export const updateItem: Command = (table) => {
  const item = anyItem(table)
  if (!item) return null
  const amount = table.dice.between(1, 5_000)
  const play = { method: 'POST' as const, path: `/v1/invoiceitems/{${item.key}}`, body: { amount } }
  const invoice = invoiceOf(table, item)
  if (invoice && invoice.status !== 'draft') return refused(play)
  if (invoice) invoice.total += amount - item.amount
  item.amount = amount
  return done(play)
}

export const deleteItem: Command = (table) => {
  const { merchant } = table
  const item = anyItem(table)
  if (!item) return null
  const play = { method: 'DELETE' as const, path: `/v1/invoiceitems/{${item.key}}` }
  const invoice = invoiceOf(table, item)
  if (invoice && invoice.status !== 'draft') return refused(play)
  if (invoice) invoice.total -= item.amount
  merchant.items = merchant.items.filter((each) => each !== item)
  return done(play)
}

const anyItem = (table: Table): InvoiceItem | undefined =>
  table.dice.any(table.merchant.items.filter(({ customer }) => isOfLiving(table, customer)).slice(-15))

const invoiceOf = ({ merchant }: Table, { invoice }: InvoiceItem): Invoice | null =>
  invoice === null ? null : named<Invoice>(merchant.invoices, invoice)
