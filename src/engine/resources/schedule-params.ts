import type { Recurring } from '../../core/calendar.ts'
import { Change } from '../../core/change.ts'
import { type CollectionMethod, DUE_DATE_REQUIRES_SENDING } from '../../core/collection-method.ts'
import type { Customer } from '../../core/customer.ts'
import { ApiError, assert, parameterInvalid, unsupportedPspCapability } from '../../core/errors.ts'
import type { MetadataParam } from '../../core/metadata.ts'
import { sumOf } from '../../core/money.ts'
import { meterOf } from '../../core/price.ts'
import { priceAmount } from '../../core/price-amount.ts'
import type { ProrationBehavior } from '../../core/proration.ts'
import type { PhaseSpan, PhaseTiming } from '../../core/schedule-phases.ts'
import {
  areTooLong,
  MAX_ALL_PHASES,
  MAX_PHASES,
  MAX_PHASES_LENGTH,
  type PhaseItem,
  type PhaseSettings,
  type SchedulePhase,
  type SubscriptionSchedule,
} from '../../core/subscription-schedule.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { paymentMethodOf } from './payment-method.ts'
import { checkPlanned, type KnownDiscounts } from './phase-discount.ts'
import type { DiscountParam } from './redemption.ts'
import {
  checkItems,
  checkQuantity,
  findItemPrice,
  type ItemParams,
  type ItemPrice,
} from './subscription-items.ts'

/** The settings that a phase can override, in the form of a request. */
export type SettingsParams = {
  collection_method?: CollectionMethod | undefined
  invoice_settings?: { days_until_due?: number | undefined } | undefined
  default_payment_method?: string | null | undefined
  description?: string | null | undefined
}

export type PhaseParams = Omit<PhaseTiming, 'recurring'> &
  SettingsParams & {
    items: readonly ItemParams[]
    currency?: string | undefined
    proration_behavior?: ProrationBehavior | undefined
    metadata?: MetadataParam | undefined
    /** undefined leaves the discounts of the subscription as they are; empty for none. */
    discounts?: readonly DiscountParam[] | undefined
    /** Set only by the portal; requests cannot set it. */
    chosen_in_portal?: true
  }

/** A phase without its times. */
type PhaseContent = Omit<SchedulePhase, keyof PhaseSpan>
export type CheckedPhase = { readonly timing: PhaseTiming; readonly content: PhaseContent }

/**
 * Finds the objects that phases refer to, and checks them.
 * @param given.known - prices that the schedule already has; they may have become inactive
 * @param given.knownDiscounts - discounts that are not checked again
 * @param given.currency - the currency of the subscription; null for that of the first price
 * @throws ApiError resource_missing, parameter_invalid, parameter_missing, amount_too_large, unsupported_psp_capability, with
 *   names such as phases[1][items][0][price]
 * See docs/contract/schedules.md#phases.
 */
export function checkPhases(
  unit: UnitOfWork,
  phases: readonly PhaseParams[],
  given: {
    readonly customer: Customer
    readonly defaults: SubscriptionSchedule['default_settings']
    readonly known: ReadonlySet<string>
    readonly knownDiscounts: KnownDiscounts
    readonly currency: string | null
  },
): CheckedPhase[] {
  let { currency } = given
  return phases.map((phase, index) =>
    under(`phases[${index}]`, () => {
      const { customer, defaults, known, knownDiscounts } = given
      const priced = phase.items.map((item, place) => {
        const found = findItemPrice(unit, item, place)
        return { ...item, ...found, obstacle: known.has(found.price.id) ? null : found.obstacle }
      })
      currency ??= phase.currency ?? priced[0]?.price.currency ?? null
      assert(currency, 'a phase has items')
      if (phase.currency !== undefined && phase.currency !== currency)
        throw parameterInvalid('currency', `All phases must be in ${currency}`)
      for (const [place, item] of priced.entries()) checkQuantity(item, item.quantity, place)
      checkItems(priced, currency)
      const recurring = priced[0]?.price.recurring
      assert(recurring, 'checked items are recurring')
      const settings = settingsOfParams(unit, customer, phase)
      const method = settings.collection_method ?? defaults.collection_method
      if (settings.days_until_due !== null && method !== 'send_invoice')
        throw parameterInvalid('invoice_settings[days_until_due]', DUE_DATE_REQUIRES_SENDING)
      const { proration_behavior = 'create_prorations', billing_cycle_anchor = null, metadata } = phase
      const planned = (params: readonly DiscountParam[] | undefined, name: string, of: typeof priced) =>
        params && {
          discounts: checkPlanned(
            unit,
            { customer, holder: {}, currency, amount: amountOf(of) },
            { params, name, known: knownDiscounts },
          ),
        }
      return {
        timing: timingOf(phase, recurring),
        content: {
          ...settings,
          currency,
          items: priced.map((item, place) => ({
            ...phaseItem(item),
            ...planned(item.discounts, `items[${place}][discounts]`, [item]),
          })),
          proration_behavior,
          billing_cycle_anchor,
          metadata: pairs(metadata),
          ...planned(phase.discounts, 'discounts', priced),
          ...(phase.chosen_in_portal && { chosen_in_portal: true }),
        },
      }
    }),
  )
}

/** Returns the amount of items for a period, without usage. */
const amountOf = (items: readonly (ItemPrice & Pick<ItemParams, 'quantity'>)[]): number =>
  sumOf(
    items
      .filter(({ price }) => meterOf(price) === undefined)
      .map(({ price, quantity = 1 }) => ({ amount: priceAmount(price, quantity) })),
  )

const phaseItem = ({
  price,
  quantity,
  metadata,
}: ItemPrice & Pick<ItemParams, 'quantity' | 'metadata'>): PhaseItem => ({
  price: price.id,
  quantity: meterOf(price) === undefined ? (quantity ?? 1) : null,
  metadata: pairs(metadata),
})

/** Returns metadata with its empty values, which remove keys when the phase begins. */
const pairs = (metadata: MetadataParam | undefined) => (metadata === '' ? {} : (metadata ?? {}))

const timingOf = (
  { start_date, end_date, iterations, duration, trial, trial_end, billing_cycle_anchor }: PhaseParams,
  recurring: Recurring,
): PhaseTiming => ({
  start_date,
  end_date,
  iterations,
  duration,
  trial,
  trial_end,
  billing_cycle_anchor,
  recurring,
})

/**
 * Returns the settings that a request gives. A test payment method is attached at once.
 * @throws ApiError resource_missing, parameter_invalid, unsupported_psp_capability
 */
export function settingsOfParams(
  unit: UnitOfWork,
  customer: Customer,
  { collection_method, invoice_settings, default_payment_method, description }: SettingsParams,
): PhaseSettings {
  return {
    collection_method: collection_method ?? null,
    days_until_due: invoice_settings?.days_until_due ?? null,
    default_payment_method: default_payment_method ? cardOf(unit, customer, default_payment_method) : null,
    description: description ?? null,
  }
}

function cardOf(unit: UnitOfWork, customer: Customer, id: string): string {
  const change = new Change()
  const method = paymentMethodOf(unit, change, customer, { id, param: 'default_payment_method' })
  if (method.type !== 'card') throw unsupportedPspCapability(method.type)
  apply(unit, change, unit.clockOf(customer.test_clock))
  return method.id
}

/** Runs a check whose errors name parameters below another one: `items[0][price]` → `phases[1][items][0][price]`. */
export function under<T>(parent: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null || error.param === 'amount') throw error
    const [, name = '', rest = ''] = /^(\w+)(.*)$/.exec(error.param) ?? []
    const { status, type, code, message, details } = error
    throw new ApiError({ status, type, code, message, details, param: `${parent}[${name}]${rest}` })
  }
}

/** Joins phases with their times. */
export const phasesOf = (checked: readonly CheckedPhase[], spans: readonly PhaseSpan[]): SchedulePhase[] =>
  checked.flatMap(({ content }, index) => {
    const span = spans[index]
    return span ? [{ ...content, ...span }] : []
  })

/** @throws ApiError parameter_invalid, param phases, for more current and future phases than a schedule can have */
export function checkCount(count: number): void {
  if (count > MAX_PHASES)
    throw parameterInvalid('phases', `A schedule can have at most ${MAX_PHASES} current and future phases`)
}

/**
 * Checks the size of a schedule with the phases that have ended, which it keeps.
 * @throws ApiError parameter_invalid, param phases
 * See docs/contract/schedules.md#phases.
 */
export function checkSize(phases: readonly SchedulePhase[]): void {
  const refuse = (what: string) => {
    throw parameterInvalid(
      'phases',
      `${what}, those that have ended included. Release this schedule, and create another one from its subscription`,
    )
  }
  if (phases.length > MAX_ALL_PHASES) refuse(`A schedule can have at most ${MAX_ALL_PHASES} phases`)
  if (areTooLong(phases))
    refuse(`The phases of a schedule can have at most ${MAX_PHASES_LENGTH} characters as JSON`)
}
