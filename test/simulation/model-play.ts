import type { Dice } from './dice.ts'
import type { Customer, Fault, Invoice, Merchant, Method, Subscription } from './model-state.ts'
import { named, nowOf } from './model-state.ts'
import { Operation, type Told } from './model-telling.ts'

/** Something to ask of the API, and what the model says will come of it. `{sub3}` stands for an id. */
export type Play = {
  readonly method: 'POST' | 'DELETE' | 'GET'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** Whether it goes to the operator's API. */
  readonly isOperators?: boolean
  readonly answer: 'done' | 'declined' | 'refused' | 'broken'
  readonly told: readonly Told[]
  /** Whether the contract says nothing of the order of these events. */
  readonly isUnordered?: boolean
  /** Where in the answer the ids of new objects stand that no event tells of: `{cus1: 'id'}`. */
  readonly makes?: Readonly<Record<string, string>>
  /** An advance, which may be asked for in parts. */
  readonly moves?: Moves
}

/** Unix seconds; `stopOn` names the types of events that end it early. */
export type Moves = {
  readonly from: number
  readonly to: number
  readonly stopOn: readonly string[] | undefined
}

/** What a command is made from: the state of things, and the dice of that command. */
export type Table = { readonly merchant: Merchant; readonly faults: Fault[]; readonly dice: Dice }

/** Asks for something; null where nothing is there to do it to. */
export type Command = (table: Table) => Play | null

export const done = (play: Omit<Play, 'answer' | 'told'> & { told?: readonly Told[] }): Play => ({
  told: [],
  ...play,
  answer: 'done',
})

export const refused = (play: Omit<Play, 'answer' | 'told'>): Play => ({
  ...play,
  answer: 'refused',
  told: [],
})

/** What a `processor_timeout` makes of a request: "500 `internal_error`, and nothing is written". */
export const broken = (play: Omit<Play, 'answer' | 'told'>): Play => ({ ...play, answer: 'broken', told: [] })

export const declined = (play: Omit<Play, 'answer'>): Play => ({ ...play, answer: 'declined' })

export const livingCustomers = ({ merchant }: Table): Customer[] =>
  merchant.customers.filter(({ isDeleted }) => !isDeleted)

export const isOfLiving = ({ merchant }: Table, customer: string | null): boolean =>
  customer === null || !named<Customer>(merchant.customers, customer).isDeleted

export const methodsOf = ({ merchant }: Table, customer: string): Method[] =>
  merchant.methods.filter((method) => method.customer === customer)

/** A subscription in one of some statuses, the newest ones more often than those of long ago. */
export function subscriptionIn(
  table: Table,
  ...statuses: Subscription['status'][]
): Subscription | undefined {
  const { merchant, dice } = table
  return dice.any(merchant.subscriptions.filter(({ status }) => statuses.includes(status)).slice(-12))
}

export function invoiceIn(table: Table, ...statuses: Invoice['status'][]): Invoice | undefined {
  const { merchant, dice } = table
  const found = merchant.invoices.filter(
    ({ status, customer }) => statuses.includes(status) && isOfLiving(table, customer),
  )
  return dice.any(found.slice(-20))
}

export const subscriptionOf = ({ merchant }: Table, invoice: Invoice): Subscription | null =>
  invoice.subscription === null ? null : named<Subscription>(merchant.subscriptions, invoice.subscription)

/** What is done to an invoice, and so to its subscription. */
export function operationOn(table: Table, invoice: Invoice): Operation {
  const { merchant, faults } = table
  const subscription = subscriptionOf(table, invoice)
  return new Operation(merchant, faults, { at: nowOf(merchant, invoice.customer), subscription })
}

/** How the test ids behave. See docs/contract/payments.md#test-payment-methods. */
export const TEST_CARDS = {
  pm_card_visa: 'succeeds',
  pm_card_mastercard: 'succeeds',
  pm_card_chargeDeclinedInsufficientFunds: 'declines',
  pm_card_chargeCustomerFail: 'declines',
  pm_card_refundFail: 'refund fails',
} as const
export const TEST_CARD_IDS = Object.keys(TEST_CARDS) as (keyof typeof TEST_CARDS)[]
