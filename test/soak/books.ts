import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { holdPeriods } from '../scenarios/invariants.ts'
import type { Body } from '../twin.ts'
import type { Merchant } from './merchant.ts'

/**
 * Checks a merchant's data while it does not change: every acknowledged write is there, no refused one is, and nothing was billed
 * twice.
 * @param lasting - daily subscriptions that were never changed: each has one invoice for each day
 */
export async function checkBooks(merchant: Merchant, lasting: readonly string[]): Promise<void> {
  expect(await idsIn(merchant, '/v1/events?type=customer.created')).toEqual(
    [...merchant.customers].toSorted(),
  )
  expect(await idsIn(merchant, '/v1/events?type=customer.deleted')).toEqual([...merchant.deleted].toSorted())
  const present = [...merchant.customers].filter((id) => !merchant.deleted.has(id))
  expect(await idsIn(merchant, '/v1/customers')).toEqual(present.toSorted())
  expect(await idsIn(merchant, '/v1/subscriptions?status=all')).toEqual(
    [...merchant.subscriptions].toSorted(),
  )
  await checkBilling(merchant)
  for (const id of lasting) {
    const subscription = await merchant.read(`/v1/subscriptions/${id}`)
    const invoices: Body[] = []
    for await (const invoice of merchant.list(`/v1/invoices?subscription=${id}`)) invoices.push(invoice)
    holdPeriods({ ...NOTHING, subscriptions: [subscription], invoices: invoices.reverse() })
    const { now } = await merchant.read('/v1/test_helpers/clock')
    expect(subscription.current_period_end).toBeGreaterThan(now)
  }
}

const NOTHING = {
  customers: [],
  payment_methods: [],
  prices: [],
  subscriptions: [],
  subscription_schedules: [],
  invoices: [],
  payment_intents: [],
  charges: [],
  refunds: [],
  credit_notes: [],
  disputes: [],
  events: [],
}

/** Returns the ids of the objects in a list; for a list of events, the ids of the events' objects. */
async function idsIn(merchant: Merchant, path: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { object, id, data } of merchant.list(path))
    ids.push(object === 'event' ? data.object.id : id)
  return ids.toSorted()
}

/** Each subscription has an invoice, no period has two, and no invoice is charged twice. */
async function checkBilling(merchant: Merchant): Promise<void> {
  const [periods, charged, twice] = [new Set<string>(), new Set<string>(), [] as string[]]
  const billed = new Set<string>()
  for await (const { subscription, period_start } of merchant.list('/v1/invoices')) {
    const period = `${subscription} from ${period_start}`
    if (periods.has(period)) twice.push(period)
    periods.add(period)
    billed.add(subscription)
  }
  for await (const { invoice, status } of merchant.list('/v1/charges')) {
    if (status !== 'succeeded') continue
    if (charged.has(invoice)) twice.push(invoice)
    charged.add(invoice)
  }
  expect(twice).toEqual([])
  expect([...billed].toSorted()).toEqual([...merchant.subscriptions].toSorted())
}

/** Checks the database of a daemon that has ended: it is whole, event numbers have no gaps, and no event is older than the one before. */
export function checkDatabase(data: string): void {
  const database = new Sqlite(join(data, 'paytwin.db'), { readonly: true })
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    const numbers = database
      .prepare(
        'select min(number) as first, max(number) - count(number) as missing from journal group by merchant',
      )
      .all()
    expect(numbers).toEqual(numbers.map(() => ({ first: 1, missing: 0 })))
    const older = `select created < lag(created) over (partition by merchant order by number) as is_older
      from journal where number is not null`
    expect(database.prepare(`select count(*) from (${older}) where is_older`).pluck().get()).toBe(0)
  } finally {
    database.close()
  }
}
