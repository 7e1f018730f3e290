import type { Dice } from './dice.ts'
import { type ExpectedEvent, Operation } from './model-events.ts'
import type { Shown } from './model-shown.ts'
import type { Customer, Fault, Invoice, Merchant, Method, Subscription } from './model-state.ts'
import { named, nowOf } from './model-state.ts'

/** A request to the API, with the result that the model expects. `{sub3}` stands for an id. */
export type Play = {
  readonly method: 'POST' | 'DELETE' | 'GET'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  /** Whether it is a request to the operator's API. */
  readonly isOperators?: boolean
  readonly response: 'done' | 'declined' | 'refused' | 'broken'
  readonly emitted: readonly ExpectedEvent[]
  /** Whether the contract leaves the order of these events open. */
  readonly isUnordered?: boolean
  /** The fields of the response with the ids of new objects without events: `{cus1: 'id'}`. */
  readonly makes?: Readonly<Record<string, string>>
  /** Fields of the response. */
  readonly returns?: Shown
  /** An advance, which may be split into parts. */
  readonly moves?: Moves
}

/** The target in Unix seconds; `stopOn` lists the types of events that end it early. */
export type Moves = {
  readonly from: number
  readonly to: number
  readonly stopOn: readonly string[] | undefined
}

/** The input of a command: the state of the model, and the command's dice. */
export type Table = { readonly merchant: Merchant; readonly faults: Fault[]; readonly dice: Dice }

/** Creates a request; null if there is no object for it. */
export type Command = (table: Table) => Play | null

export const done = (
  play: Omit<Play, 'response' | 'emitted'> & { emitted?: readonly ExpectedEvent[] },
): Play => ({
  emitted: [],
  ...play,
  response: 'done',
})

export const refused = (play: Omit<Play, 'response' | 'emitted'>): Play => ({
  ...play,
  response: 'refused',
  emitted: [],
})

/** The result of a request under `processor_timeout`: 500 `internal_error`, and nothing is written. */
export const broken = (play: Omit<Play, 'response' | 'emitted'>): Play => ({
  ...play,
  response: 'broken',
  emitted: [],
})

export const declined = (play: Omit<Play, 'response'>): Play => ({ ...play, response: 'declined' })

export const livingCustomers = ({ merchant }: Table): Customer[] =>
  merchant.customers.filter(({ isDeleted }) => !isDeleted)

export const isOfLiving = ({ merchant }: Table, customer: string | null): boolean =>
  customer === null || !named<Customer>(merchant.customers, customer).isDeleted

export const methodsOf = ({ merchant }: Table, customer: string): Method[] =>
  merchant.methods.filter((method) => method.customer === customer)

/** Chooses a subscription in one of some statuses, newer ones and those with a pending update more often. */
export function subscriptionIn(
  table: Table,
  ...statuses: Subscription['status'][]
): Subscription | undefined {
  const { merchant, dice } = table
  const found = merchant.subscriptions.filter(({ status }) => statuses.includes(status))
  const pending = found.filter((each) => each.pending !== null)
  return dice.any(pending.length > 0 && dice.chance(40) ? pending : found.slice(-12))
}

export function invoiceIn(table: Table, ...statuses: Invoice['status'][]): Invoice | undefined {
  const { merchant, dice } = table
  const found = merchant.invoices.filter(
    ({ status, customer }) => statuses.includes(status) && isOfLiving(table, customer),
  )
  const waits = ({ key }: Invoice) => merchant.subscriptions.some(({ pending }) => pending?.invoice === key)
  const waited = found.filter(({ status }) => status === 'open').filter(waits)
  return dice.any(waited.length > 0 && dice.chance(60) ? waited : found.slice(-20))
}

export const subscriptionOf = ({ merchant }: Table, invoice: Invoice): Subscription | null =>
  invoice.subscription === null ? null : named<Subscription>(merchant.subscriptions, invoice.subscription)

/** An action on an invoice and its subscription. */
export function operationOn(table: Table, invoice: Invoice): Operation {
  const { merchant, faults } = table
  const subscription = subscriptionOf(table, invoice)
  return new Operation(merchant, faults, { at: nowOf(merchant, invoice.customer), subscription })
}

/** The behaviour of the test ids. See docs/contract/payments.md#test-payment-methods. */
export const TEST_CARDS = {
  pm_card_visa: 'succeeds',
  pm_card_mastercard: 'succeeds',
  pm_card_chargeDeclinedInsufficientFunds: 'declines',
  pm_card_chargeCustomerFail: 'declines',
  pm_card_refundFail: 'refund fails',
  pm_card_createDispute: 'is disputed',
} as const
export const TEST_CARD_IDS = Object.keys(TEST_CARDS) as (keyof typeof TEST_CARDS)[]
