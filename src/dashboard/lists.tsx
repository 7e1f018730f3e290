/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Customer, Invoice, PaymentIntent, Subscription } from '../client/types.ts'
import { INVOICE_STATUSES } from '../core/invoice-status.ts'
import { formatAmount } from '../core/money.ts'
import { SUBSCRIPTION_STATUSES } from '../core/subscription-status.ts'
import { Time } from '../http/html/time.tsx'
import { costText } from '../timeline/price-texts.ts'
import { Cut, Status } from './text.tsx'

/** An expanded customer. */
type ShownCustomer = { readonly id: string; readonly name?: string | null; readonly email?: string | null }
type Owned<Row> = Omit<Row, 'customer'> & { readonly customer: string | ShownCustomer | null }

type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => Child
  readonly isNumber?: true
}

/** A list of objects: its path below /v1, what can be filtered, and its columns. The first column is the id. */
export type ListOf<Row> = {
  readonly title: string
  readonly path: string
  /** The kind of its objects. */
  readonly kind: 'customer' | 'subscription' | 'invoice' | 'payment_intent'
  /** The fields that the search covers, as the label of the search field. */
  readonly searched: string
  /** The sentence for an empty list: how to create the first object. */
  readonly origin: string
  readonly statuses?: readonly string[]
  /** Parameters that always apply. */
  readonly params?: Readonly<Record<string, string>>
  /** Whether the objects have a customer. */
  readonly hasCustomer: boolean
  readonly columns: readonly Column<Row>[]
}

const list = <Row extends { readonly id: string }>(given: ListOf<Row>) =>
  given as ListOf<{ readonly id: string }>

/** Returns the name of a customer, or else its email or id. */
function customerName(customer: string | ShownCustomer | null): string {
  if (customer === null) return '–'
  return typeof customer === 'string' ? customer : (customer.name ?? customer.email ?? customer.id)
}

/** The lists by the name of their section. */
export const LISTS = {
  customers: list<Customer>({
    title: 'Customers',
    path: 'customers',
    kind: 'customer',
    searched: 'Name, email or ID',
    origin: 'Create one with the API, or load fixtures in Scenes.',
    hasCustomer: false,
    columns: [
      { title: 'Name', cell: ({ name }) => <Cut text={name ?? '–'} /> },
      { title: 'Email', cell: ({ email }) => <Cut text={email ?? '–'} /> },
      {
        title: 'Delinquent',
        cell: ({ delinquent }) => (delinquent ? <span class="status bad">yes</span> : 'no'),
      },
      { title: 'Created', cell: ({ created }) => <Time at={created} /> },
    ],
  }),
  subscriptions: list<Owned<Subscription>>({
    title: 'Subscriptions',
    path: 'subscriptions',
    kind: 'subscription',
    searched: 'Customer’s name or email, or ID',
    origin: 'Subscribe a customer with the API, or load fixtures in Scenes.',
    statuses: [...SUBSCRIPTION_STATUSES, 'ended'],
    params: { status: 'all' },
    hasCustomer: true,
    columns: [
      { title: 'Status', cell: ({ status }) => <Status status={status} /> },
      { title: 'Customer', cell: ({ customer }) => <Cut text={customerName(customer)} /> },
      { title: 'Amount', cell: costText, isNumber: true },
      { title: 'Period ends', cell: ({ current_period_end }) => <Time at={current_period_end} /> },
      { title: 'Created', cell: ({ created }) => <Time at={created} /> },
    ],
  }),
  invoices: list<Owned<Invoice>>({
    title: 'Invoices',
    path: 'invoices',
    kind: 'invoice',
    searched: 'Number, customer’s name or email, or ID',
    origin: 'Subscriptions and the API create them.',
    statuses: INVOICE_STATUSES,
    hasCustomer: true,
    columns: [
      { title: 'Number', cell: ({ number }) => <span class="id">{number ?? '–'}</span> },
      { title: 'Status', cell: ({ status }) => <Status status={status} /> },
      { title: 'Customer', cell: ({ customer }) => <Cut text={customerName(customer)} /> },
      { title: 'Total', cell: ({ total, currency }) => formatAmount(total, currency), isNumber: true },
      { title: 'Next attempt', cell: ({ next_payment_attempt }) => <Time at={next_payment_attempt} /> },
      { title: 'Created', cell: ({ created }) => <Time at={created} /> },
    ],
  }),
  payments: list<Owned<PaymentIntent>>({
    title: 'Payments',
    path: 'payment_intents',
    kind: 'payment_intent',
    searched: 'Customer’s name or email, or ID',
    origin: 'Invoices that are charged, and the API, create them.',
    hasCustomer: true,
    columns: [
      { title: 'Status', cell: ({ status }) => <Status status={status} /> },
      { title: 'Amount', cell: ({ amount, currency }) => formatAmount(amount, currency), isNumber: true },
      { title: 'Customer', cell: ({ customer }) => <Cut text={customerName(customer)} /> },
      {
        title: 'Error',
        cell: ({ last_payment_error: error }) => error?.decline_code ?? error?.code ?? '–',
      },
      { title: 'Created', cell: ({ created }) => <Time at={created} /> },
    ],
  }),
}
