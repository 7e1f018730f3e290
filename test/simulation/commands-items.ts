import { entriesOf, entryBody } from './commands-discounts.ts'
import { MAX_AMOUNT, totalOf } from './model-amounts.ts'
import { changeBalance } from './model-balance.ts'
import { copyOf } from './model-copy.ts'
import { endDiscount, reduceAndSpend } from './model-discount.ts'
import { Operation } from './model-events.ts'
import { lineOfItem } from './model-plan.ts'
import {
  type Command,
  done,
  invoiceIn,
  isOfLiving,
  livingCustomers,
  type Play,
  refused,
  type Table,
} from './model-play.ts'
import { redeemAll } from './model-redeem.ts'
import { ref } from './model-shown.ts'
import {
  type Invoice,
  type InvoiceItem,
  isEnded,
  named,
  newKey,
  nowOf,
  type Subscription,
} from './model-state.ts'

/** Creates an item that is pending for the next manual invoice, or names a draft. */
export const createItem: Command = (table) => {
  const { merchant, faults, dice } = table
  const invoice = dice.chance(30) ? invoiceIn(table, 'draft', 'draft', 'draft', 'open') : undefined
  const subscription = invoice ? undefined : subscriptionToBill(table)
  const customer = (invoice ?? subscription)?.customer ?? dice.any(livingCustomers(table))?.key
  if (customer === undefined) return null
  const amount = dice.between(1, 5_000)
  const entries = dice.chance(20) ? entriesOf(table) : []
  const isDiscountable = !dice.chance(15)
  const body = {
    customer: ref(customer),
    amount,
    currency: 'usd',
    ...(invoice && { invoice: ref(invoice.key) }),
    ...(subscription && { subscription: ref(subscription.key) }),
    ...(entries.length > 0 && { discounts: entries.map(entryBody) }),
    ...(!isDiscountable && { discountable: false }),
  }
  const play = { method: 'POST' as const, path: '/v1/invoiceitems', body }
  if (invoice && invoice.status !== 'draft') return refused(play)
  if (subscription && isEnded(subscription)) return refused(play)
  const before = copyOf(merchant)
  const key = newKey(merchant, 'ii')
  const at = nowOf(merchant, customer)
  const owner = merchant.subscriptions.find((each) => each.key === invoice?.subscription) ?? null
  const operation = new Operation(merchant, faults, { at, subscription: owner })
  const discounts = redeemAll(operation, { customer, holder: { invoiceItem: key }, amount }, { entries })
  const item: InvoiceItem = {
    key,
    customer,
    isOwn: invoice !== undefined,
    amount,
    invoice: invoice?.key ?? null,
    subscription: subscription?.key ?? null,
    bills: null,
    discounts: discounts ?? [],
    isDiscountable,
    price: null,
  }
  merchant.items.push(item)
  if (invoice) {
    invoice.lines.push(lineOfItem(item))
    reduceAndSpend(operation, invoice)
  }
  if (!discounts || (invoice && totalOf(invoice) > MAX_AMOUNT)) {
    Object.assign(merchant, before)
    return refused(play)
  }
  return done({ ...play, emitted: operation.end(), makes: { [key]: 'id' } })
}

export const updateItem: Command = (table) => {
  const item = anyItem(table)
  if (!item) return null
  const amount = table.dice.between(1, 5_000)
  const play = { method: 'POST' as const, path: pathOf(table, item), body: { amount } }
  const invoice = invoiceOf(table, item)
  if (invoice && invoice.status !== 'draft') return refused(play)
  if (item.bills) return refused(play)
  return changeDraft(table, play, item, invoice, () => {
    const line = invoice?.lines.find(({ from }) => from === item.key)
    if (line) line.amount = amount
    item.amount = amount
  })
}

export const deleteItem: Command = (table) => {
  const { merchant } = table
  const item = anyItem(table)
  if (!item) return null
  const play = { method: 'DELETE' as const, path: pathOf(table, item) }
  const invoice = invoiceOf(table, item)
  if (invoice && invoice.status !== 'draft') return refused(play)
  return changeDraft(table, play, item, invoice, (operation) => {
    if (invoice) invoice.lines = invoice.lines.filter(({ from }) => from !== item.key)
    for (const key of item.discounts) endDiscount(operation, named(merchant.discounts, key))
    merchant.items = merchant.items.filter((each) => each !== item)
    if (item.bills && item.subscription) merchant.shortened.push(item.subscription)
  })
}

/** Changes an item, and computes its draft anew. Its total cannot exceed the largest amount. */
function changeDraft(
  { merchant, faults }: Table,
  play: Omit<Play, 'response' | 'emitted'>,
  item: InvoiceItem,
  invoice: Invoice | null,
  change: (operation: Operation) => void,
): Play {
  const before = copyOf(merchant)
  const subscription = merchant.subscriptions.find(({ key }) => key === invoice?.subscription) ?? null
  const at = nowOf(merchant, item.customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  change(operation)
  if (invoice) reduceAndSpend(operation, invoice)
  if (invoice && totalOf(invoice) > MAX_AMOUNT) {
    Object.assign(merchant, before)
    return refused(play)
  }
  return done({ ...play, emitted: operation.end() })
}

const AMOUNTS = [-99_999_999, -50_000, -2_500, -2_000, -1, 1, 700, 2_000, 99_999_999]

/** Gives a customer a credit or a debt. See docs/contract/proration.md#balance. */
export const changeBalanceOf: Command = (table) => {
  const { dice } = table
  const customer = dice.any(livingCustomers(table))
  if (!customer) return null
  const amount = dice.chance(50) ? dice.of(AMOUNTS) : dice.between(-3_000, 500)
  const currency = dice.of(['usd', 'usd', 'usd', 'eur'])
  const path = `/v1/customers/{${customer.key}}/balance_transactions`
  const play = { method: 'POST' as const, path, body: { amount, currency } }
  if (amount === 0 || Math.abs((customer.balances[currency] ?? 0) + amount) > MAX_AMOUNT) return refused(play)
  changeBalance(customer, { type: 'adjustment', amount, currency, invoice: null })
  return done(play)
}

/** A subscription whose next invoice bills an item; rarely one that has ended. */
const subscriptionToBill = (table: Table): Subscription | undefined =>
  table.dice.chance(60)
    ? table.dice.any(
        table.merchant.subscriptions
          .filter((each) => isOfLiving(table, each.customer) && (!isEnded(each) || table.dice.chance(10)))
          .slice(-12),
      )
    : undefined

/** The runner finds a proration by its place among the customer's items, because no response has shown its id. */
function pathOf({ merchant }: Table, item: InvoiceItem): string {
  if (!item.bills) return `/v1/invoiceitems/{${item.key}}`
  const place = merchant.items.filter(({ customer }) => customer === item.customer).indexOf(item)
  return `/v1/invoiceitems/{item ${place} of ${item.customer}}`
}

const anyItem = (table: Table): InvoiceItem | undefined =>
  table.dice.any(table.merchant.items.filter(({ customer }) => isOfLiving(table, customer)).slice(-15))

const invoiceOf = ({ merchant }: Table, { invoice }: InvoiceItem): Invoice | null =>
  invoice === null ? null : named<Invoice>(merchant.invoices, invoice)
