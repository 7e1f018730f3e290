import { SECONDS_PER_DAY } from './calendar.ts'
import { DECIMAL_PLACES, SCALE } from './price-amount.ts'
import { move, type Transitions } from './transitions.ts'

export const FORMULAS = ['sum', 'count', 'last'] as const
export type Formula = (typeof FORMULAS)[number]

export const METER_STATUSES = ['active', 'inactive'] as const
export type MeterStatus = (typeof METER_STATUSES)[number]
type MeterAction = 'deactivate' | 'reactivate'

/** See docs/contract/usage.md#meters. */
const METER_TRANSITIONS: Transitions<MeterStatus, MeterAction> = {
  active: { deactivate: 'inactive' },
  inactive: { reactivate: 'active' },
}

/** A meter: it adds up the usage of each customer. Times are in Unix seconds. See docs/contract/usage.md#meters. */
export type Meter = {
  readonly id: string
  readonly created: number
  readonly display_name: string
  /** The name of its events, unique among the meters of a merchant. */
  readonly event_name: string
  readonly status: MeterStatus
  readonly default_aggregation: { readonly formula: Formula }
  /** The key in the payload of an event that has the customer. */
  readonly customer_mapping: { readonly type: 'by_id'; readonly event_payload_key: string }
  /** The key in the payload of an event that has the value. */
  readonly value_settings: { readonly event_payload_key: string }
  readonly updated: number
  readonly deactivated_at: number | null
}

/** Stops or continues to accept events. @throws ApiError invalid_state_transition, param status */
export const withAction = (meter: Meter, action: MeterAction, now: number): Meter => ({
  ...meter,
  status: move(METER_TRANSITIONS, meter.status, action),
  updated: now,
  deactivated_at: action === 'deactivate' ? now : null,
})

/** Reports whether a meter accepts events, and new prices. */
export const isActive = (meter: Meter): boolean => METER_TRANSITIONS[meter.status].deactivate !== undefined

/** The value of a meter event: whole units, and units of 10⁻¹². Both have the same sign. */
export type UsageValue = { readonly whole: number; readonly fraction: number }

/** The maximum number of digits before the point in the value of an event. */
export const VALUE_DIGITS = 12

const VALUE = new RegExp(`^(-?)(\\d{1,${VALUE_DIGITS}})(?:\\.(\\d{1,${DECIMAL_PLACES}}))?$`)

/** Parses the value of a meter event; undefined for a text that is no decimal number within the limits. */
export function parseUsageValue(text: string): UsageValue | undefined {
  const found = VALUE.exec(text)
  if (!found) return undefined
  const [, sign = '', whole = '', fraction = ''] = found
  const factor = sign === '-' ? -1 : 1
  // Adding 0 makes -0 a plain 0.
  const signed = (digits: string) => factor * Number(digits) + 0
  return { whole: signed(whole), fraction: signed(fraction.padEnd(DECIMAL_PLACES, '0')) }
}

/** Formats a quantity in units of 10⁻¹² as a decimal number: `1250000000000` → `1.25`. */
export function quantityDecimal(quantity: bigint): string {
  const size = quantity < 0n ? -quantity : quantity
  const fraction = String(size % SCALE)
    .padStart(DECIMAL_PLACES, '0')
    .replace(/0+$/, '')
  return `${quantity < 0n ? '-' : ''}${size / SCALE}${fraction && '.'}${fraction}`
}

/** The limits of an event's timestamp before and after its customer's clock, in seconds. */
const OLDEST_SECONDS = 35 * SECONDS_PER_DAY
const NEWEST_SECONDS = 5 * 60

/** Returns the range of timestamps that events may have, both ends included, in Unix seconds. */
export const timestampRange = (now: number): { readonly first: number; readonly last: number } => ({
  first: now - OLDEST_SECONDS,
  last: now + NEWEST_SECONDS,
})

/** How long an event can be canceled, in seconds. See docs/contract/usage.md#canceling-an-event. */
export const CANCELABLE_SECONDS = SECONDS_PER_DAY
