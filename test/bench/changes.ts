import { type BenchDaemon, FROZEN, startDaemon } from './daemon.ts'
import { inParallel } from './load.ts'
import { processorSeconds } from './machine.ts'
import { atMost, known, type Measurement, type Outcome, type Part, ratioAtLeast } from './result.ts'

const USUAL = 5_000
const AT_ONCE = 50
const PREVIEWS = 500

/** What is measured of one daemon. */
type Seen = {
  readonly subscribed: number
  readonly renewed: number
  /** The processor time of a renewal; null if it is unknown. */
  readonly renewalMicroseconds: number | null
  readonly previewMs: number
}

/**
 * Measures what changes of billing and Stripe's rules cost, against plain subscriptions: the advance over a month in which each
 * subscription has a discount and a pending proration, the same month of a merchant with Stripe's API, creating its
 * subscriptions, and previews of a change.
 */
export const changesPart: Part = {
  name: 'changes',
  about:
    "discounts with prorations, and Stripe's rules, against plain subscriptions (--size N, usually 5,000)",
  isUsual: true,
  run: async ({ rounds, size = USUAL, note }): Promise<Outcome> => {
    const seen: { plain: Seen; changed: Seen; stripe: Seen }[] = []
    for (let round = 0; round < rounds; round += 1) {
      note(`round ${round + 1} of ${rounds}`)
      seen.push({
        plain: await monthOf(PLAIN, size),
        changed: await monthOf(CHANGED, size),
        stripe: await monthOf(STRIPE, size),
      })
    }
    const against = (
      what: string,
      kind: 'changed' | 'stripe',
      { of, goal }: { readonly of: 'subscribed' | 'renewed'; readonly goal: number },
    ): Measurement => ({
      what,
      unit: '/s',
      paytwin: seen.map((each) => each[kind][of]),
      floor: seen.map(({ plain }) => plain[of]),
      goals: [ratioAtLeast(goal)],
    })
    const processorTime = (what: string, kind: 'changed' | 'stripe'): Measurement => ({
      what,
      unit: 'µs',
      paytwin: known(seen.map((each) => each[kind].renewalMicroseconds)),
      floor: known(seen.map(({ plain }) => plain.renewalMicroseconds)),
      goals: [],
    })
    return {
      measurements: [
        against('renewals with a discount and a proration', 'changed', { of: 'renewed', goal: 0.7 }),
        processorTime('processor time of one', 'changed'),
        against("renewals of Stripe's API", 'stripe', { of: 'renewed', goal: 0.7 }),
        processorTime('processor time of one of these', 'stripe'),
        against("POST /v1/subscriptions of Stripe's API", 'stripe', { of: 'subscribed', goal: 0.8 }),
        {
          what: 'a preview of a change',
          unit: 'ms',
          paytwin: seen.map(({ changed }) => changed.previewMs),
          goals: [atMost(3)],
        },
      ],
    }
  },
}

/** A kind of subscriptions. */
type Variant = {
  readonly options: readonly string[]
  readonly customer: object
  readonly subscription: object
  /** Changes a subscription in the middle of its period. */
  readonly change: object | null
}

const PLAIN: Variant = {
  options: [],
  customer: { name: 'Bench' },
  subscription: { currency: 'usd', default_payment_method: 'pm_card_visa' },
  change: null,
}
const CHANGED: Variant = {
  ...PLAIN,
  subscription: { ...PLAIN.subscription, discounts: [{ coupon: 'bench' }] },
  change: { proration_behavior: 'create_prorations' },
}
const STRIPE: Variant = {
  options: ['--dialect', 'stripe'],
  customer: {
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  },
  subscription: {},
  change: null,
}

/** Creates subscriptions, changes them after ten days, previews a change, and advances to the end of the month. */
async function monthOf({ options, customer, subscription, change }: Variant, size: number): Promise<Seen> {
  const daemon = await startDaemon(['--ephemeral', ...FROZEN, ...options])
  try {
    const product = await idOf(daemon, 'products', { name: 'Bench' })
    const price = await idOf(daemon, 'prices', {
      product,
      unit_amount: 2000,
      currency: 'usd',
      recurring: { interval: 'month' },
    })
    if (change !== null) await idOf(daemon, 'coupons', { id: 'bench', percent_off: 10, duration: 'forever' })
    const customers = await inParallel({ times: size, atOnce: AT_ONCE }, () =>
      idOf(daemon, 'customers', customer),
    )
    const ids: string[] = []
    const subscribed = await rateOf(size, () =>
      inParallel({ times: size, atOnce: AT_ONCE }, async () => {
        const made = { customer: customers.pop(), items: [{ price }], ...subscription }
        ids.push(await idOf(daemon, 'subscriptions', made))
      }),
    )
    await advance(daemon, '10d')
    const changed = [...ids]
    if (change !== null) {
      await inParallel({ times: size, atOnce: AT_ONCE }, async () => {
        const id = changed.pop() ?? ''
        await daemon.post(`/v1/subscriptions/${id}`, { items: await twoOf(daemon, id), ...change })
      })
    }
    const [first = ''] = ids
    const previewMs = change === null ? Number.NaN : await millisecondsOfPreview(daemon, first)
    let paid = 0
    const used = processorSeconds(daemon.pid)
    const renewed = await rateOf(size, async () => {
      paid = await advance(daemon, '25d')
    })
    const usedSince = processorSeconds(daemon.pid)
    if (paid !== size) throw new Error(`${paid} of ${size} were renewed`)
    const renewalMicroseconds = used === null || usedSince === null ? null : ((usedSince - used) * 1e6) / size
    return { subscribed, renewed, renewalMicroseconds, previewMs }
  } finally {
    await daemon.stop()
  }
}

const idOf = async (daemon: BenchDaemon, collection: string, params: object): Promise<string> =>
  String((await daemon.post(`/v1/${collection}`, params)).id)

/** Returns the items of an update that doubles the quantity of a subscription's item. */
async function twoOf(daemon: BenchDaemon, id: string): Promise<object[]> {
  const { items } = (await daemon.get(`/v1/subscriptions/${id}`)) as { items: { data: { id: string }[] } }
  return items.data.map((item) => ({ id: item.id, quantity: 2 }))
}

/** @returns the number of paid invoices */
async function advance(daemon: BenchDaemon, by: string): Promise<number> {
  const { data } = await daemon.operate('clock/advance', { by })
  const [clock] = data as { summary: { invoices_paid: number } }[]
  return clock?.summary.invoices_paid ?? 0
}

/** @returns how many of `count` things that `work` does are done in a second */
async function rateOf(count: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return (count * 1_000) / (performance.now() - started)
}

/** @returns the mean time of a preview, one after the other */
async function millisecondsOfPreview(daemon: BenchDaemon, subscription: string): Promise<number> {
  const [item] = await twoOf(daemon, subscription)
  const details = { items: [{ ...item, quantity: 3 }], proration_behavior: 'create_prorations' }
  const rate = await rateOf(PREVIEWS, async () => {
    for (let count = 0; count < PREVIEWS; count += 1)
      await daemon.post('/v1/invoices/create_preview', { subscription, subscription_details: details })
  })
  return 1_000 / rate
}
