import type { Body } from '../twin.ts'
import { listPages, type TwinResponse } from './client.ts'
import type { Account, World } from './world.ts'

/** The lists that show all objects of a merchant, except for its events and balance transactions. */
export const LISTS = {
  customers: '/v1/customers?',
  payment_methods: '/v1/payment_methods?',
  prices: '/v1/prices?',
  subscriptions: '/v1/subscriptions?status=all&',
  invoices: '/v1/invoices?',
  payment_intents: '/v1/payment_intents?',
  charges: '/v1/charges?',
  refunds: '/v1/refunds?',
  credit_notes: '/v1/credit_notes?',
  disputes: '/v1/disputes?',
  subscription_schedules: '/v1/subscription_schedules?',
  items: '/v1/invoiceitems?',
  products: '/v1/products?',
  'billing/meters': '/v1/billing/meters?',
  coupons: '/v1/coupons?',
  promotion_codes: '/v1/promotion_codes?',
} as const

export const EVENTS = '/v1/events?'

/** The pages of the lists of a merchant by their path, newest entries first. */
export type Pages = ReadonlyMap<string, readonly TwinResponse[]>

/** Reads all objects and balance transactions of a merchant. @param further - paths of more lists */
export async function pagesOf(world: World, account: Account, ...further: string[]): Promise<Pages> {
  const pages = new Map<string, readonly TwinResponse[]>()
  const read = async (path: string) =>
    void pages.set(path, await listPages((page) => world.ask(account, 'GET', page), path))
  for (const path of [...Object.values(LISTS), ...further]) await read(path)
  for (const { id } of entriesOf(pages, LISTS.customers)) await read(balanceOf(id))
  return pages
}

/** All entries of a list, oldest first. */
export const entriesOf = (pages: Pages, path: string): Body[] =>
  (pages.get(path) ?? []).flatMap(({ body }) => body.data as Body[]).toReversed()

const balanceOf = (customer: string): string => `/v1/customers/${customer}/balance_transactions?`

export const isOfBalance = (path: string): boolean => path.endsWith('/balance_transactions?')

/** The random id of a request in an event. */
const REQUEST_ID = /"request":\{"id":"\w+"/g

/** The texts of pages without the random ids of requests. */
export const textsOf = (pages: Pages): string[] =>
  [...pages.values()].flat().map(({ text }) => text.replaceAll(REQUEST_ID, '"request":{"id":"req"'))
