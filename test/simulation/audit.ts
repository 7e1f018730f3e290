import { isDeepStrictEqual } from 'node:util'
import { holdAlways, itemsReconcile } from '../scenarios/invariants.ts'
import type { History } from '../scenarios/story.ts'
import type { Body } from '../twin.ts'
import { listAll } from './client.ts'
import type { Dice } from './dice.ts'
import { Failure } from './failure.ts'
import { upcoming } from './model-clock.ts'
import type { Code, Coupon } from './model-discount.ts'
import { showSchedule } from './model-schedule.ts'
import {
  type Shown,
  showCharge,
  showDispute,
  showIntent,
  showInvoice,
  showItem,
  showNote,
  showRefund,
  showSubscription,
} from './model-shown.ts'
import { differences, inModelTerms, type Naming } from './naming.ts'
import { EVENTS, entriesOf, isOfBalance, LISTS, type Pages, pagesOf, textsOf } from './pages.ts'
import type { Account, World } from './world.ts'

type Whole = History & {
  items: Body[]
  products: Body[]
  'billing/meters': Body[]
  coupons: Body[]
  promotion_codes: Body[]
  readonly transactions: Body[]
}

/** All objects that a merchant can see, and the events as they were first read. */
const historyOf = (account: Account, pages: Pages): Whole => ({
  ...(Object.fromEntries(
    Object.entries(LISTS).map(([name, path]) => [name, entriesOf(pages, path)]),
  ) as Record<keyof typeof LISTS, Body[]>),
  events: account.events,
  transactions: [...pages.keys()].filter(isOfBalance).flatMap((path) => entriesOf(pages, path)),
})

/**
 * Checks all invariants: of each merchant's history, of the model and the current objects, of the past that the journal
 * records, and of the isolation of merchants.
 * @throws Failure
 */
export async function audit(world: World, dice: Dice): Promise<void> {
  const histories: Whole[] = []
  for (const account of world.accounts) {
    const history = historyOf(account, await pagesOf(world, account))
    histories.push(history)
    await auditOne(world, account, { history, dice })
  }
  await comparePast(world, dice.of(histories), dice)
}

/**
 * Checks all invariants at the end, reads all events again, and returns the histories of all merchants.
 * @throws Failure
 */
export async function auditFinally(world: World, dice: Dice): Promise<string[]> {
  const texts: string[] = []
  const histories: Whole[] = []
  for (const account of world.accounts) {
    const pages = await pagesOf(world, account, EVENTS)
    const history = historyOf(account, pages)
    histories.push(history)
    await auditOne(world, account, { history, dice })
    compareEvents(account, entriesOf(pages, EVENTS))
    texts.push(...textsOf(pages))
  }
  await comparePast(world, dice.of(histories), dice)
  return texts
}

async function auditOne(
  world: World,
  account: Account,
  { history, dice }: { history: Whole; dice: Dice },
): Promise<void> {
  try {
    holdAlways(history, history.transactions)
    itemsReconcile(history, new Set(account.model.shortened.map((key) => account.naming.idOf(key))))
  } catch (error) {
    throw new Failure('invariants', `merchant ${account.id}: ${(error as Error).message}`)
  }
  compareObjects(account, history)
  await compareUpcoming(world, account)
  await seeNothing(world, account, history, dice)
}

/** Events are reconstructed from the current objects and the journal. They must be the same as when they were first read. */
function compareEvents({ events }: Account, read: readonly Body[]): void {
  if (read.length !== events.length)
    throw new Failure('journal', `${events.length} events were seen, there are ${read.length}`)
  for (const [index, event] of read.entries()) {
    if (isDeepStrictEqual(event, events[index])) continue
    const [is, was] = [JSON.stringify(event), JSON.stringify(events[index])]
    throw new Failure('journal', `an event has changed\n  ${was}\n  ${is}`)
  }
}

/** Compares the model's objects with those of the API, also those without recent events. */
function compareObjects({ model, naming }: Account, history: Whole): void {
  const compare = (
    objects: readonly Body[],
    expected: readonly { key: string }[],
    shows: readonly Shown[],
  ) => {
    if (objects.length !== expected.length) {
      throw new Failure(
        'objects',
        `${expected.length} ${objects[0]?.object} expected, there are ${objects.length}`,
      )
    }
    const byId = new Map(objects.map((object) => [object.id, object]))
    expected.forEach(({ key }, index) => {
      const object = byId.get(naming.idOf(key))
      if (!object) throw new Failure('objects', `${key} does not exist`)
      const found = differences(naming, shows[index], inModelTerms(object))
      if (found.length > 0) throw new Failure('objects', `${key}, ${object.id}: ${found.join('; ')}`)
    })
  }
  const { subscriptions, schedules, intents, charges, refunds, notes, disputes } = model
  const invoices = model.invoices.filter(({ status }) => status !== 'deleted')
  compare(history.subscriptions, subscriptions, subscriptions.map(showSubscription))
  compare(history.subscription_schedules, schedules, schedules.map(showSchedule))
  compare(history.invoices, invoices, invoices.map(showInvoice))
  compare(history.payment_intents, intents, intents.map(showIntent))
  compare(history.charges, charges, charges.map(showCharge))
  compare(history.refunds, refunds, refunds.map(showRefund))
  compare(history.disputes, disputes, disputes.map(showDispute))
  compare(history.credit_notes, notes, notes.map(showNote))
  const coupons = model.coupons.filter(({ isDeleted }) => !isDeleted)
  compare(history.coupons, coupons, coupons.map(showCoupon))
  compare(history.promotion_codes, model.codes, model.codes.map(showCode))
  compareLists(naming, history.items, model.items.map(showItem), 'invoice items')
  const alive = model.customers.filter(({ isDeleted }) => !isDeleted)
  compare(
    history.customers,
    alive,
    alive.map(({ key, defaultMethod, balances, discount }) => ({
      ...{ name: key, invoice_credit_balance: balances },
      discount: discount === null ? null : { id: `{${discount}}` },
      currency: Object.keys(balances)[0] ?? null,
      balance: Object.values(balances)[0] ?? 0,
      invoice_settings: { default_payment_method: defaultMethod === null ? null : `{${defaultMethod}}` },
    })),
  )
  for (const { key, transactions } of alive) {
    const own = history.transactions.filter(({ customer }) => customer === naming.idOf(key))
    const shows = transactions.map(({ ending, invoice, ...rest }) => ({
      ...{ ...rest, ending_balance: ending, invoice: invoice === null ? null : `{${invoice}}` },
    }))
    compareLists(naming, own, shows, `balance transactions of ${key}`)
  }
}

/** Compares objects whose ids no response has shown, by their place. */
function compareLists(
  naming: Naming,
  found: readonly Body[],
  expected: readonly Shown[],
  what: string,
): void {
  if (found.length !== expected.length)
    throw new Failure('objects', `${what} are ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
  const lines = found.flatMap((object, index) => differences(naming, expected[index], object, `${index}`))
  if (lines.length > 0) throw new Failure('objects', `${what}: ${lines.join('; ').slice(0, 2000)}`)
}

/** The model's names of the kinds of upcoming jobs. */
const UPCOMING: Readonly<Record<string, string>> = {
  retry: 'payment_retry',
  cancellation: 'cancellation',
  expiry: 'incomplete_expiry',
  'end of pause': 'pause_end',
  expiring: 'schedule_expiring',
  phase: 'schedule_phase',
  start: 'schedule_phase',
  'trial end': 'trial_end',
  'expiry of update': 'pending_update_expiry',
  renewal: 'renewal',
  refund: 'refund_settlement',
  dispute: 'dispute_due',
  'discount end': 'discount_end',
  'end of discount': 'discount_end',
}

/**
 * Compares the next job of each subscription, in order. Later jobs may never run because of earlier ones, and a due
 * date that changes no status may be listed or not.
 */
async function compareUpcoming(world: World, account: Account): Promise<void> {
  const { model, naming } = account
  const clocks = [null, ...model.clocks.filter(({ isDeleted }) => !isDeleted).map(({ key }) => key)]
  for (const clock of clocks) {
    const path = `/v1/test_helpers/upcoming?${clock === null ? '' : `test_clock=${naming.idOf(clock)}&`}`
    const get = (page: string) => world.ask(account, 'GET', page)
    const listed = (await listAll(get, path)).reverse()
    const expected = upcoming(model, clock)
    const found = differences(
      naming,
      nextOfEach(expected, 'due date').map(({ kind, due, subscription }) => ({
        kind: UPCOMING[kind],
        due,
        subscription: subscription === null ? null : `{${subscription}}`,
      })),
      nextOfEach(listed, 'invoice_due'),
    )
    if (found.length > 0)
      throw new Failure('upcoming', `${clock ?? 'main clock'}: ${found.join('; ').slice(0, 2000)}`)
  }
}

/** Notices are listed only if they apply now. Their events are compared. */
const NOTICES: readonly string[] = [
  ...['invoice_upcoming', 'trial_will_end', 'invoice_will_be_due', 'invoice_overdue'],
  ...['upcoming notice', 'trial notice', 'will be due', 'overdue'],
]

const nextOfEach = <Entry extends { kind: string; subscription: string | null } | Body>(
  entries: readonly Entry[],
  ignored: string,
): Entry[] =>
  entries
    .filter(({ kind }) => kind !== ignored && !NOTICES.includes(kind))
    .filter(
      ({ subscription }, index, rest) =>
        subscription === null || rest.findIndex((other) => other.subscription === subscription) === index,
    )

/** Checks that a past subscription equals the object of the last event before. The timeline that is read with it takes long. */
async function comparePast(world: World, { subscriptions, events }: History, dice: Dice): Promise<void> {
  const subscription = dice.any(subscriptions)
  if (!subscription) return
  const emitted = events.filter(({ data }) => data.object.id === subscription.id)
  const chosen = dice.any(emitted)
  if (!chosen) return
  const last = emitted.findLast(({ created }) => created <= chosen.created)
  const path = `subscriptions/${subscription.id}?at=${chosen.created}`
  const { status, body, text } = await world.operate('GET', path)
  if (status === 404 && chosen.created === emitted[0]?.created) return
  if (status !== 200) throw new Failure('past', `${path}: ${status} ${text}`)
  const { related: _, timeline: __, ...was } = body
  const shown = last?.data.object
  // Fields are compared by name, because the operator's response has more of them.
  for (const name of Object.keys(shown)) {
    if (JSON.stringify(was[name]) !== JSON.stringify(shown[name])) {
      throw new Failure(
        'past',
        `${path}: ${name} is ${JSON.stringify(was[name])}, was ${JSON.stringify(shown[name])}`,
      )
    }
  }
}

/** Checks that every object is visible to its merchant, and missing for another one. */
async function seeNothing(world: World, account: Account, history: History, dice: Dice): Promise<void> {
  const all = Object.entries(history)
    .filter(([name]) => name !== 'transactions' && name !== 'items')
    .flatMap(([name, objects]) => objects.map((object) => ({ name, object })))
  for (const { object } of all) {
    if (object.merchant_id !== account.id)
      throw new Failure('isolation', `${object.id} is ${object.merchant_id}'s`)
  }
  const others = world.accounts.filter(({ id }) => id !== account.id)
  for (let turn = 0; turn < 3; turn += 1) {
    const found = dice.any(all)
    if (!found) return
    const other = dice.of(others)
    const { status, text } = await world.ask(other, 'GET', `/v1/${found.name}/${found.object.id}`)
    if (status !== 404)
      throw new Failure('isolation', `${other.id} sees ${found.object.id}: ${status} ${text}`)
  }
}

const showCoupon = ({ percent, amount, redeemed, valid }: Coupon): Shown => ({
  ...{ percent_off: percent === null ? null : percent / 100, amount_off: amount },
  ...{ times_redeemed: redeemed, valid },
})

const showCode = ({ coupon, redeemed, active }: Code): Shown => ({
  ...{ coupon: { id: `{${coupon}}` }, times_redeemed: redeemed, active },
})
