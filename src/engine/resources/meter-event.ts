import type { Customer } from '../../core/customer.ts'
import { parameterInvalid, parameterMissing, resourceMissing } from '../../core/errors.ts'
import {
  CANCELABLE_SECONDS,
  isActive,
  type Meter,
  parseUsageValue,
  timestampRange,
  VALUE_DIGITS,
} from '../../core/meter.ts'
import { DECIMAL_PLACES } from '../../core/price-amount.ts'
import type { Page } from '../../store/list-query.ts'
import type { CurrentView, Cut } from '../history/view.ts'
import type { Engine } from '../machine/engine.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { meterNamed } from './meter.ts'

const IDENTIFIER_PREFIX = 'mtrevt'

export type MeterEventParams = {
  event_name: string
  payload: Readonly<Record<string, string>>
  timestamp?: number | undefined
  identifier?: string | undefined
}

/** A reported usage, as the API shows it. Times are in Unix seconds. */
export type MeterEvent = Pick<MeterEventParams, 'event_name' | 'payload'> & {
  readonly identifier: string
  readonly timestamp: number
  readonly created: number
}

/**
 * Records the usage of a customer. It emits no event and has no journal entry.
 * @throws ApiError parameter_invalid, parameter_missing, with the parameter or the key of the payload
 * See docs/contract/usage.md#meter-events.
 */
export function createMeterEvent(unit: UnitOfWork, params: MeterEventParams): MeterEvent {
  const { event_name, payload } = params
  const meter = meterNamed(unit, event_name)
  if (!meter) throw parameterInvalid('event_name', `No meter has the event_name '${event_name}'`)
  if (!isActive(meter))
    throw parameterInvalid('event_name', `The meter '${meter.id}' is inactive; reactivate it`)
  const value = valueIn(meter, payload)
  const customer = customerOf(unit, meter, payload)
  const { instant: now } = unit.clockOf(customer.test_clock)
  const timestamp = params.timestamp ?? now
  checkTimestamp(timestamp, now)
  if (params.identifier !== undefined && unit.store.meterEvents.find(unit.owner, params.identifier))
    throw parameterInvalid('identifier', `Another event has the identifier '${params.identifier}'`)
  const identifier = params.identifier ?? freeIdentifier(unit)
  unit.store.meterEvents.add({
    merchant: unit.owner,
    customer: customer.id,
    meter: meter.id,
    timestamp,
    created: now,
    ...value,
    identifier,
  })
  return { event_name, payload, timestamp, identifier, created: now }
}

/** Returns a new identifier, which no request has used. */
function freeIdentifier(unit: UnitOfWork): string {
  const identifier = unit.newId(IDENTIFIER_PREFIX)
  return unit.store.meterEvents.find(unit.owner, identifier) ? freeIdentifier(unit) : identifier
}

/** Returns the value of a key; undefined also for a key that only the prototype of objects has, such as `toString`. */
const ownValue = (payload: MeterEventParams['payload'], key: string): string | undefined =>
  Object.hasOwn(payload, key) ? payload[key] : undefined

/** @throws ApiError parameter_missing, parameter_invalid, with the key of the payload */
function valueIn(meter: Meter, payload: MeterEventParams['payload']) {
  const key = meter.value_settings.event_payload_key
  const text = ownValue(payload, key)
  const isCount = meter.default_aggregation.formula === 'count'
  if (text === undefined && isCount) return { whole: 1, fraction: 0 }
  if (text === undefined) throw parameterMissing(`payload[${key}]`)
  const value = parseUsageValue(text)
  if (value) return value
  throw parameterInvalid(
    `payload[${key}]`,
    `payload[${key}] must be a decimal number such as "12" or "0.5", with at most ${VALUE_DIGITS} digits before the point and ${DECIMAL_PLACES} after it`,
  )
}

/** @throws ApiError parameter_missing, parameter_invalid, with the key of the payload */
function customerOf(unit: UnitOfWork, meter: Meter, payload: MeterEventParams['payload']): Customer {
  const key = meter.customer_mapping.event_payload_key
  const id = ownValue(payload, key)
  if (id === undefined) throw parameterMissing(`payload[${key}]`)
  const customer = unit.get('customer', id)
  if (!customer || customer.deleted) throw parameterInvalid(`payload[${key}]`, `No such customer: '${id}'`)
  return customer
}

/** @throws ApiError parameter_invalid, param timestamp */
function checkTimestamp(timestamp: number, now: number): void {
  const { first, last } = timestampRange(now)
  if (timestamp < first || timestamp > last)
    throw parameterInvalid(
      'timestamp',
      `timestamp must be within the past 35 days and at most 5 minutes ahead of the customer's clock: from ${first} to ${last}`,
    )
}

/**
 * Cancels an event: it no longer counts. Invoices that have billed it stay as they are.
 * @throws ApiError parameter_invalid, param event_name or cancel[identifier]
 * See docs/contract/usage.md#canceling-an-event.
 */
export function cancelMeterEvent(
  unit: UnitOfWork,
  { event_name, identifier }: { event_name: string; identifier: string },
): void {
  const meter = meterNamed(unit, event_name)
  if (!meter) throw parameterInvalid('event_name', `No meter has the event_name '${event_name}'`)
  const refuse = (why: string) =>
    parameterInvalid('cancel[identifier]', `The event with the identifier '${identifier}' ${why}`)
  const event = unit.store.meterEvents.find(unit.owner, identifier)
  if (event?.meter !== meter.id) throw refuse(`does not exist, or is not of the meter '${meter.id}'`)
  if (event.canceled !== null) throw refuse('is already canceled')
  const { test_clock } = unit.need('customer', event.customer)
  const { instant: now } = unit.clockOf(test_clock)
  if (now > event.created + CANCELABLE_SECONDS)
    throw refuse('was received more than 24 hours ago, so it cannot be canceled')
  unit.store.meterEvents.cancel(event.seq, now)
}

/** The usage of a customer in a span of time, in units of 10⁻¹². `start` is inclusive, `end` exclusive, in Unix seconds. */
export type Summary = {
  readonly id: string
  readonly start: number
  readonly end: number
  readonly quantity: bigint
}

/** The span of time whose usage is listed; `window` is the length of a window in seconds, undefined for one summary. */
export type SummarySpan = {
  readonly meter: Meter
  readonly customer: string
  readonly start: number
  readonly end: number
  readonly window: number | undefined
}

/** The usage of a customer in the windows of a span, newest first. A window is found by its start. */
export type Summaries = {
  readonly noun: string
  /** Returns the start of a summary. */
  readonly placeOf: (id: string) => number | undefined
  readonly list: (page: Page) => Cut<Summary>
}

/** The length of the start of a summary in its id, in base 36, and of the characters that follow. */
const START_LENGTH = 8
const DERIVED_LENGTH = 14
const BASE = 36

/**
 * Summarizes the usage of a customer: one summary for the span, or one for each window with usage.
 * @throws ApiError resource_missing, param customer
 * See docs/contract/usage.md#summaries.
 */
export function summariesOf({ store, ids }: Engine, view: CurrentView, span: SummarySpan): Summaries {
  const { meter, customer, start, end, window } = span
  if (!view.get('customer', customer)) throw resourceMissing('customer', customer, 'customer')
  const { formula } = meter.default_aggregation
  const read = { customer, meter: meter.id }
  const idOf = (from: number) => {
    const name = `summary ${meter.id} ${customer} ${from} ${from + (window ?? end - start)}`
    return `mtrusg_${from.toString(BASE).padStart(START_LENGTH, '0')}${ids.derived(name, DERIVED_LENGTH)}`
  }
  const placeOf = (id: string) => {
    const from = Number.parseInt(id.slice('mtrusg_'.length, -DERIVED_LENGTH), BASE)
    return from >= start && from < end && idOf(from) === id ? from : undefined
  }
  const whole = (): Summary => ({
    id: idOf(start),
    start,
    end,
    quantity: store.meterEvents.aggregate(formula, { ...read, start, end }),
  })
  const list = ({ limit, after, before }: Page): Cut<Summary> => {
    if (window === undefined) return { rows: (after ?? before) === undefined ? [whole()] : [], isCut: false }
    const left = before === undefined ? { start, end: after ?? end } : { start: before + window, end }
    const order = before === undefined ? 'newest first' : 'oldest first'
    const windows = store.meterEvents.windows(
      formula,
      { ...read, ...left },
      { seconds: window, limit, order },
    )
    const rows = windows.map(({ start: from, quantity }) => ({
      id: idOf(from),
      start: from,
      end: from + window,
      quantity,
    }))
    return { rows, isCut: false }
  }
  return { noun: 'summary', placeOf, list }
}
