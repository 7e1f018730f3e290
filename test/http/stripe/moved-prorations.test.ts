import fc from 'fast-check'
import type Stripe from 'stripe'
import { beforeAll, expect, test } from 'vitest'
import { isLong, requested } from '../../long.ts'
import { customerOnClock, stripeOfFile } from './sdk.ts'

const JAN_31 = Date.UTC(2026, 0, 31, 10) / 1000
const HOUR = 3_600
const DAY = 86_400

const sdk = stripeOfFile()
const { stripe } = sdk
let monthly: (unit_amount: number) => Promise<string>
let weekly: string
let prices: readonly string[]
beforeAll(async () => {
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const create = async (unit_amount: number, interval: 'month' | 'week') =>
    (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval } })).id
  monthly = (unit_amount) => create(unit_amount, 'month')
  weekly = await create(300, 'week')
  prices = [await monthly(2000), await monthly(5000), await monthly(100), await monthly(0)]
})

/** The places to which pending prorations are moved. The last two give them back to their subscription. */
const MOVES = [
  'stay',
  'to the newest own draft',
  'to the oldest own draft',
  "to another subscription's draft",
  'to a manual draft',
  'to a manual invoice that is paid',
  'to a manual draft that is deleted',
  'to a manual draft that they are taken off',
] as const
type Move = (typeof MOVES)[number]

/** A customer with a subscription whose prorations are moved, and another one. */
class Story {
  readonly customer: string
  readonly clock: string
  #now = JAN_31

  constructor({ customer, clock }: { readonly customer: string; readonly clock: string }) {
    this.customer = customer
    this.clock = clock
  }

  static readonly begin = async () => new Story(await customerOnClock(stripe, JAN_31))

  async advance(seconds: number): Promise<void> {
    if (seconds === 0) return
    this.#now += seconds
    await sdk.advance(this.clock, this.#now)
  }

  subscribe(params: Omit<Stripe.SubscriptionCreateParams, 'customer'>): Promise<Stripe.Subscription> {
    return stripe.subscriptions.create({ ...params, customer: this.customer })
  }

  async change(
    { id }: Stripe.Subscription,
    item: Omit<Stripe.SubscriptionUpdateParams.Item, 'id'>,
    proration_behavior: 'create_prorations' | 'always_invoice' = 'create_prorations',
  ): Promise<void> {
    const { items } = await stripe.subscriptions.retrieve(id)
    await stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? '', ...item }],
      proration_behavior,
    })
  }

  pending = async () =>
    (await stripe.invoiceItems.list({ customer: this.customer, pending: true, limit: 100 })).data

  invoices = async (params: Stripe.InvoiceListParams = {}) =>
    (await stripe.invoices.list({ customer: this.customer, limit: 100, ...params })).data

  /** Puts all pending items on a draft. */
  async moveTo(draft: string | undefined): Promise<Stripe.Invoice | undefined> {
    const lines = (await this.pending()).map(({ id }) => ({ invoice_item: id }))
    if (draft === undefined || lines.length === 0) return undefined
    return await stripe.invoices.addLines(draft, { lines })
  }

  moveToManual = async () =>
    await this.moveTo((await stripe.invoices.create({ customer: this.customer, auto_advance: false })).id)

  async move(where: Move, { id: own }: Stripe.Subscription, { id: other }: Stripe.Subscription) {
    const draftsOf = async (subscription: string) =>
      (await this.invoices({ subscription, status: 'draft' })).map(({ id }) => id)
    switch (where) {
      case 'stay':
        return
      case 'to the newest own draft':
        return this.moveTo((await draftsOf(own))[0])
      case 'to the oldest own draft':
        return this.moveTo((await draftsOf(own)).at(-1))
      case "to another subscription's draft":
        return this.moveTo((await draftsOf(other))[0])
      case 'to a manual draft':
        return this.moveToManual()
      case 'to a manual invoice that is paid': {
        const moved = await this.moveToManual()
        if (moved) await stripe.invoices.pay(moved.id)
        return
      }
      case 'to a manual draft that is deleted': {
        const moved = await this.moveToManual()
        if (moved) await stripe.invoices.del(moved.id)
        return
      }
      case 'to a manual draft that they are taken off': {
        const moved = await this.moveToManual()
        const lines = moved?.lines.data.map(({ id }) => ({ id, behavior: 'unassign' as const }))
        if (moved && lines) await stripe.invoices.removeLines(moved.id, { lines })
      }
    }
  }

  /** Adds up all that was billed, and all that is pending. */
  async billed(): Promise<number> {
    const invoices = (await this.invoices()).filter(({ status }) => status !== 'void')
    const amounts = [
      ...invoices.map(({ total }) => total),
      ...(await this.pending()).map(({ amount }) => amount),
    ]
    return amounts.reduce((sum, amount) => sum + amount, 0)
  }
}

const STEP = fc.record({
  advance: fc.constantFrom(0, HOUR / 2, 3 * DAY, 11 * DAY, 28 * DAY),
  price: fc.nat(3),
  quantity: fc.integer({ min: 1, max: 3 }),
  behavior: fc.constantFrom(
    'create_prorations' as const,
    'create_prorations' as const,
    'always_invoice' as const,
  ),
  move: fc.constantFrom(...MOVES),
})

const STORY = fc.record({
  isPaused: fc.boolean(),
  steps: fc.array(STEP, { minLength: 3, maxLength: 7 }),
  isCanceled: fc.boolean(),
})
type StorySteps = typeof STORY extends fc.Arbitrary<infer Made> ? Made : never

async function run({ isPaused, steps, isCanceled }: StorySteps, isMoved: boolean): Promise<number> {
  const story = await Story.begin()
  const own = await story.subscribe({ items: [{ price: prices[0] ?? '' }] })
  const other = await story.subscribe({ items: [{ price: weekly }] })
  const pause_collection = { behavior: 'keep_as_draft' as const }
  await stripe.subscriptions.update(other.id, { pause_collection })
  if (isPaused) await stripe.subscriptions.update(own.id, { pause_collection })
  await story.advance(27 * DAY)
  for (const { advance, price, quantity, behavior, move } of steps) {
    await story.advance(advance)
    await story.change(own, { price: prices[price] ?? '', quantity }, behavior)
    if (isMoved) await story.move(move, own, other)
  }
  await story.advance(DAY)
  if (isCanceled) await stripe.subscriptions.cancel(own.id, { prorate: true, invoice_now: true })
  else await story.change(own, { price: prices[2] ?? '', quantity: 1 }, 'always_invoice')
  return story.billed()
}

test('as much is billed wherever pending prorations are moved', async () => {
  await fc.assert(
    fc.asyncProperty(STORY, async (story) => {
      expect(await run(story, true)).toBe(await run(story, false))
    }),
    {
      numRuns: requested('rounds', isLong ? 300 : 10),
      seed: requested('seed', isLong ? Date.now() : 1),
      endOnFailure: !isLong,
    },
  )
})

/** Changes a plan of 20.00 to 50.00 on the third of 30 days, and moves the prorations. Renewals stay drafts. */
async function moved(where: Move) {
  const story = await Story.begin()
  const own = await story.subscribe({ items: [{ price: prices[0] ?? '' }] })
  const other = await story.subscribe({ items: [{ price: weekly }] })
  for (const { id } of [own, other])
    await stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } })
  await story.advance(62 * DAY)
  await story.change(own, { price: prices[1] ?? '' })
  const invoice = await story.move(where, own, other)
  return { story, own, invoice }
}

/** Previews a change to a free plan, whose credit is all that it bills beside what is pending. */
async function previewedCredit({ id, items }: Stripe.Subscription): Promise<number | undefined> {
  const { lines } = await stripe.invoices.createPreview({
    subscription: id,
    subscription_details: {
      items: [{ id: items.data[0]?.id ?? '', price: prices[3] ?? '' }],
      proration_behavior: 'always_invoice',
    },
  })
  return lines.data.at(-1)?.amount
}

test.each(MOVES)(
  'a change credits what an earlier one charged, whose prorations were moved: %s',
  async (where) => {
    const { story, own } = await moved(where)
    // 27 of 30 days of 50.00.
    expect(await previewedCredit(own)).toBe(-4500)
    await story.change(own, { price: prices[2] ?? '' })
    const pending = (await story.pending()).map(({ amount }) => amount).reverse()
    expect(pending.slice(-2)).toEqual([-4500, 90])
  },
)

test('a cancellation credits a downgrade once that is on a manual invoice', async () => {
  const story = await Story.begin()
  const own = await story.subscribe({ items: [{ price: prices[1] ?? '' }] })
  await story.change(own, { price: prices[2] ?? '' })
  const invoice = await story.moveToManual()
  await stripe.invoices.finalizeInvoice(invoice?.id ?? '')
  await stripe.subscriptions.cancel(own.id, { prorate: true, invoice_now: true })
  expect(await stripe.customers.retrieve(story.customer)).toMatchObject({ balance: -5000 })
})

test('a manual invoice that is voided or uncollectible billed nothing, until it is paid', async () => {
  const { own, invoice } = await moved('to a manual draft')
  const { id } = await stripe.invoices.finalizeInvoice(invoice?.id ?? '')
  expect(await previewedCredit(own)).toBe(-4500)
  await stripe.invoices.markUncollectible(id)
  // 27 of 30 days of 20.00.
  expect(await previewedCredit(own)).toBe(-1800)
  await stripe.invoices.pay(id)
  expect(await previewedCredit(own)).toBe(-4500)
  const { own: another, invoice: voided } = await moved('to a manual draft')
  await stripe.invoices.finalizeInvoice(voided?.id ?? '')
  await stripe.invoices.voidInvoice(voided?.id ?? '')
  expect(await previewedCredit(another)).toBe(-1800)
})
