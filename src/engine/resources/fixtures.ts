import { assert } from '../../core/errors.ts'
import type { MetadataParam } from '../../core/metadata.ts'
import type { PaymentMethodType } from '../../core/payment-method.ts'
import type { HashedSecret } from '../access/key-secret.ts'
import type { KeyRing } from '../access/keys.ts'
import type { Sender } from '../machine/command-queue.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import { DryRunResult, type UnitOfWork } from '../machine/unit.ts'
import { type CouponParams, createCoupon } from './coupon.ts'
import { type CustomerParams, createCustomer, updateCustomer } from './customer.ts'
import { type AppEntry, makeApps, makeFirstApps } from './fixture-apps.ts'
import { type CreatedObject, FixtureIds, type FixturePosition, withErrorPath } from './fixture-names.ts'
import { discountsOf, itemsOf, settingsOf } from './fixture-references.ts'
import { addMerchant, changeSettings, type MerchantParams, type NoticeUpdate } from './merchant.ts'
import { createMeter, type MeterParams } from './meter.ts'
import {
  attachPaymentMethod,
  type CardParams,
  createPaymentMethod,
  scriptPaymentMethod,
} from './payment-method.ts'
import { createPrice, createProduct, type PriceParams, type ProductParams } from './price.ts'
import { createPromotionCode, type PromotionCodeParams } from './promotion-code.ts'
import { createSubscription, type SubscriptionParams } from './subscription.ts'
import { createSchedule, type NewScheduleParams } from './subscription-schedule.ts'
import { createEndpoint, secretOf } from './webhook-endpoint.ts'

/** The setting with the fixtures of the first start. */
const SETTING = 'fixtures'

/** An object to create; it refers to others by refs of the same merchant's fixtures, or by ids. */
export type Entry<Params> = {
  readonly at: FixturePosition
  readonly ref: string | null
  readonly params: Params
}

/** A payment method by a test id, or by a type with its details. */
type MethodParams = {
  readonly customer?: string | undefined
  readonly test_id?: string | undefined
  readonly type?: PaymentMethodType | undefined
  readonly card?: CardParams | undefined
  readonly metadata?: MetadataParam | undefined
  readonly outcomes?: readonly string[] | undefined
  readonly then?: string | undefined
}

/** The fixtures of one merchant. */
export type MerchantFixtures = {
  /** The merchant itself; null for the default one, which exists. */
  readonly merchant: Entry<MerchantParams> | null
  /** The days of the default merchant's notices; undefined leaves them as they are. */
  readonly notices?: NoticeUpdate | undefined
  readonly keys: readonly Entry<HashedSecret & { readonly name: string | null }>[]
  readonly products: readonly Entry<ProductParams & { name: string }>[]
  readonly meters: readonly Entry<MeterParams>[]
  readonly prices: readonly Entry<PriceParams & Parameters<typeof createPrice>[1]>[]
  readonly coupons: readonly Entry<CouponParams>[]
  readonly customers: readonly Entry<CustomerParams>[]
  readonly payment_methods: readonly Entry<MethodParams>[]
  readonly promotion_codes: readonly Entry<PromotionCodeParams>[]
  readonly subscriptions: readonly Entry<SubscriptionParams>[]
  readonly subscription_schedules: readonly Entry<NewScheduleParams>[]
  readonly webhook_endpoints: readonly Entry<Parameters<typeof createEndpoint>[1]>[]
}

/** Checked fixtures: plain values without plaintext secrets. */
export type FixturePlan = {
  readonly merchants: readonly MerchantFixtures[]
  readonly apps: readonly AppEntry[]
}

const NOTHING: FixturePlan = { merchants: [], apps: [] }

/** The context in which fixtures are loaded: a command, with a function that returns a merchant's unit. */
export type FixtureContext = {
  readonly engine: Engine
  readonly keys: KeyRing
  readonly unitOf: (merchant: MerchantState) => UnitOfWork
  /** The default merchant. */
  readonly merchant: MerchantState
  /**
   * Called with each key that is skipped, because it was revoked or belongs to another merchant. Without it, a key of another
   * merchant is refused.
   */
  readonly onSkipped?: (key: SkippedKey) => void
}

/** A key of the fixtures that a reset does not issue again. */
export type SkippedKey = {
  /** The merchant's id. */
  readonly merchant: string
  readonly hint: string
  readonly why: 'revoked' | 'taken'
}

/**
 * Loads fixtures with the use cases of the API, all of them or none.
 * @param options.validateOnly - whether to roll everything back once it has succeeded
 * @returns the created objects, in order
 * @throws ApiError of the rule that refuses an object, with the path of that object as its param
 * See docs/contract/fixtures.md#loading.
 */
export async function loadFixtures(
  { engine, keys, merchant }: Omit<FixtureContext, 'unitOf'>,
  plan: FixturePlan,
  { validateOnly, ...sender }: Sender & { readonly validateOnly: boolean },
): Promise<readonly CreatedObject[]> {
  const named = plan.merchants.some((fixtures) => fixtures.merchant === null) ? [merchant] : []
  const load = (unitOf: FixtureContext['unitOf']) => {
    const context = { engine, keys, unitOf, merchant }
    const result = [...makeOfMerchants(context, plan), ...makeApps(engine, plan.apps)]
    if (validateOnly) throw new DryRunResult(result)
    return result
  }
  const made = await engine.commandAll(named, load, sender)
  for (const { keys: given } of plan.merchants) for (const { params } of given) keys.takeUp(params.hash)
  return made
}

/** Stores the fixtures of a database's first start, for later resets. */
export const storeFixtures = ({ store }: Engine, plan: FixturePlan): void =>
  store.directory.setSetting(SETTING, JSON.stringify(plan))

/**
 * Creates the stored fixtures within the open command, at the first start and at every reset. A key that its merchant
 * already has is kept, revoked or not; new keys work once they are loaded. Existing apps are kept too.
 * See docs/contract/fixtures.md#fixtures-and-resets.
 */
export function createStoredFixtures(context: FixtureContext): CreatedObject[] {
  const stored = context.engine.store.directory.setting(SETTING)
  const plan: FixturePlan = stored === undefined ? NOTHING : JSON.parse(stored)
  return [...makeOfMerchants(context, plan), ...makeFirstApps(context.engine, plan.apps)]
}

const makeOfMerchants = (context: FixtureContext, { merchants }: FixturePlan): CreatedObject[] =>
  merchants.flatMap((fixtures) => makeOfMerchant(context, fixtures))

function makeOfMerchant(context: FixtureContext, fixtures: MerchantFixtures): CreatedObject[] {
  const { engine, keys, unitOf } = context
  const { merchant: entry } = fixtures
  const merchant = entry
    ? withErrorPath(entry, new FixtureIds(), () => addMerchant(engine, entry.params))
    : context.merchant
  const { id, ordinal } = merchant.settings
  const own = entry ? [{ object: 'merchant' as const, ref: entry.ref, id, merchant_id: id, ...entry.at }] : []
  const made = fixtures.keys.flatMap((key): CreatedObject[] => {
    const existing = keys.stored(key.params.hash)
    const isOwn = existing?.generation === merchant.settings.generation
    if (existing && (isOwn || context.onSkipped)) {
      const why = existing.revoked === null ? 'taken' : 'revoked'
      if (why === 'revoked' || !isOwn) context.onSkipped?.({ merchant: id, hint: existing.hint, why })
      return []
    }
    const { id: keyId } = withErrorPath(key, new FixtureIds(), () =>
      keys.add({ merchant: ordinal, ...key.params }),
    )
    return [{ object: 'key', ref: null, id: keyId, merchant_id: id, ...key.at }]
  })
  const unit = unitOf(merchant)
  // They come before the objects, whose notices follow from them.
  if (fixtures.notices) changeSettings(unit, { notices: fixtures.notices })
  return [...own, ...made, ...makeObjects(unit, fixtures)]
}

/** Creates objects after those that they can refer to, and within a section in the order of the files. */
function makeObjects(unit: UnitOfWork, fixtures: MerchantFixtures): CreatedObject[] {
  const names = new FixtureIds()
  const made: CreatedObject[] = []
  const makeAll = <Params extends object>(
    object: CreatedObject['object'],
    entries: readonly Entry<Params>[],
    make: (params: Params) => { readonly id: string },
    secretFor?: (made: { readonly id: string }) => string,
  ) => {
    for (const entry of entries) {
      const one = withErrorPath(entry, names, () => make(entry.params))
      const { id } = one
      names.set(object, entry, id)
      if (entry.ref !== null)
        unit.store.fixtureNames.set({ merchant: unit.owner, kind: object, name: entry.ref, object: id })
      const secret = secretFor && { secret: secretFor(one) }
      made.push({
        object,
        ref: entry.ref,
        id,
        merchant_id: unit.merchant.settings.id,
        ...entry.at,
        ...secret,
      })
    }
  }
  makeAll('product', fixtures.products, (params) => createProduct(unit, params))
  // Fixtures that an older release stored have no meters.
  makeAll('billing_meter', fixtures.meters ?? [], (params) => createMeter(unit, params))
  // A lookup key moves from a price of an earlier load, but not from one of this load, which would be a mistake.
  const taken = new Set<string | null | undefined>()
  makeAll('price', fixtures.prices, ({ product, recurring, ...params }) => {
    const price = createPrice(unit, {
      ...params,
      product: names.idOf('product', product),
      recurring: recurring && { ...recurring, meter: names.idOf('billing_meter', recurring.meter) },
      transfer_lookup_key: !taken.has(params.lookup_key),
    })
    taken.add(price.lookup_key)
    return price
  })
  // Fixtures that an older release stored have no coupons and no promotion codes.
  const { coupons = [], promotion_codes = [] } = fixtures
  makeAll('coupon', coupons, ({ applies_to, ...params }) => {
    const products = applies_to?.products.map((product) => names.idOf('product', product))
    const { public_id } = createCoupon(unit, { ...params, applies_to: products && { products } })
    return { id: public_id }
  })
  const methods = new Set(fixtures.payment_methods.flatMap(({ ref }) => ref ?? []))
  const codes = new Set(promotion_codes.flatMap(({ ref }) => ref ?? []))
  makeAll('customer', fixtures.customers, ({ coupon, promotion_code, ...params }) =>
    createCustomer(unit, {
      ...(methods.has(defaultOf(params)) ? { ...params, invoice_settings: undefined } : params),
      ...(coupon !== undefined && { coupon: coupon && names.idOf('coupon', coupon) }),
      ...(!codes.has(promotion_code ?? '') && { promotion_code }),
    }),
  )
  makeAll('payment_method', fixtures.payment_methods, (params) => makeMethod(unit, names, params))
  makeAll('promotion_code', promotion_codes, ({ coupon, customer, ...params }) =>
    createPromotionCode(unit, {
      ...params,
      coupon: names.idOf('coupon', coupon),
      customer: names.idOf('customer', customer),
    }),
  )
  for (const entry of fixtures.customers) setLater(unit, names, entry)
  makeAll('subscription', fixtures.subscriptions, (params) =>
    createSubscription(unit, {
      ...params,
      customer: names.idOf('customer', params.customer),
      default_payment_method: names.idOf('payment_method', params.default_payment_method),
      items: itemsOf(names, params.items),
      discounts: discountsOf(names, params.discounts),
    }),
  )
  // The stored fixtures of an older version have no such section.
  makeAll('subscription_schedule', fixtures.subscription_schedules ?? [], (params) =>
    createSchedule(unit, {
      ...params,
      customer: names.idOf('customer', params.customer),
      default_settings: params.default_settings && settingsOf(names, params.default_settings),
      phases: params.phases.map((phase) => ({
        ...settingsOf(names, phase),
        items: itemsOf(names, phase.items),
        discounts: discountsOf(names, phase.discounts),
      })),
    }),
  )
  // Endpoints come last, so that the initial state is not delivered to them at each reset.
  makeAll(
    'webhook_endpoint',
    fixtures.webhook_endpoints,
    (params) => createEndpoint(unit, params),
    (endpoint) => secretOf(unit.ids, endpoint),
  )
  return made
}

const defaultOf = ({ invoice_settings }: CustomerParams): string =>
  invoice_settings?.default_payment_method ?? ''

/** Sets the references of a customer to objects that are created after it: its default payment method and its promotion code. */
function setLater(unit: UnitOfWork, names: FixtureIds, entry: Entry<CustomerParams>): void {
  const customer = names.idOfEntry(entry)
  const method = names.known('payment_method', defaultOf(entry.params))
  const promotion_code = names.known('promotion_code', entry.params.promotion_code)
  if (customer === undefined) return
  const update = (params: CustomerParams) => updateCustomer(unit, customer, params)
  if (method !== undefined)
    withErrorPath(entry, names, () => update({ invoice_settings: { default_payment_method: method } }))
  if (promotion_code !== undefined) withErrorPath(entry, names, () => update({ promotion_code }))
}

function makeMethod(unit: UnitOfWork, names: FixtureIds, params: MethodParams): { id: string } {
  const { test_id, outcomes, then: after } = params
  const owner = names.idOf('customer', params.customer)
  const free = test_id ?? makeFree(unit, params)
  // A file describes a state: a card that is declined today was attached while it worked.
  const id = owner === undefined ? free : attachPaymentMethod(unit, free, owner, { mayDecline: true }).id
  if (outcomes === undefined && after === undefined) return { id }
  // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
  scriptPaymentMethod(unit, id, { outcomes: outcomes ?? [], then: after ?? 'succeed' })
  return { id }
}

function makeFree(unit: UnitOfWork, { type, card, metadata }: MethodParams): string {
  assert(type, 'a payment method has a test id or a type')
  return createPaymentMethod(unit, { type, card, metadata }).id
}
