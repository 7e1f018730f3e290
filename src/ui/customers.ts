import type { Event } from '../client/types.ts'
import type { Entry } from './entry-log.ts'

/** The names of a customer. */
export type Person = { readonly name: string | null; readonly email: string | null }

/** The names of customers by ID, the least recently updated first. */
export type Customers = ReadonlyMap<string, Person>

export const NO_CUSTOMERS: Customers = new Map()

/** The maximum number of customers to remember: one for each kept event. */
const MAX_CUSTOMERS = 5_000

/** Adds the names that events of customers have. */
export function withNamesOf(customers: Customers, events: readonly Event[]): Customers {
  const news = events.filter(({ data }) => data.object.object === 'customer')
  if (news.length === 0) return customers
  const grown = new Map(customers)
  for (const { data } of news) {
    grown.delete(data.object.id)
    grown.set(data.object.id, personOf(data.object))
  }
  return bounded(grown)
}

/** Adds names that were read from the daemon. Names that are already known are newer. */
export const withRead = (customers: Customers, read: Customers): Customers =>
  bounded(new Map([...read].filter(([id]) => !customers.has(id)).concat([...customers])))

/** Returns the names that an event of a customer has. */
export const personOf = ({ name, email }: Readonly<Record<string, unknown>>): Person => ({
  name: textOf(name),
  email: textOf(email),
})

/** Returns the ID of the customer that an event concerns; null if the event does not contain it. */
export function customerOf({ data: { object } }: Event): string | null {
  return object.object === 'customer' ? object.id : textOf(object.customer)
}

/**
 * Returns a function that finds the customer of an event.
 * @param among - entries in which the charge of a refund is looked up, because refunds and disputes do not contain their customer
 */
export function finderOf(
  customers: Customers,
  among: readonly Entry[],
): (event: Event) => Person | undefined {
  let ofCharges: ReadonlyMap<string, string> | undefined
  return (event) => {
    const { object } = event.data
    if (object.object === 'refund' || object.object === 'dispute') ofCharges ??= customersOfCharges(among)
    const id = customerOf(event) ?? ofCharges?.get(String(object.charge))
    return id === undefined ? guestOf(object) : customers.get(id)
  }
}

/** Returns the names that a guest entered on the page of a Checkout session; undefined for other objects. */
function guestOf({ customer_details }: Readonly<Record<string, unknown>>): Person | undefined {
  return typeof customer_details === 'object' && customer_details !== null
    ? personOf(customer_details as Readonly<Record<string, unknown>>)
    : undefined
}

function customersOfCharges(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const entry of entries) {
    if (!('item' in entry) || entry.item.object !== 'event') continue
    const { object } = entry.item.data
    if (object.object === 'charge' && typeof object.customer === 'string')
      found.set(object.id, object.customer)
  }
  return found
}

const bounded = (customers: Customers): Customers =>
  customers.size > MAX_CUSTOMERS ? new Map([...customers].slice(-MAX_CUSTOMERS)) : customers

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
