import type * as z from 'zod'
import { type ApiError, parameterUnknown } from '../core/errors.ts'
import type { Raw } from './form.ts'
import { nameOf } from './params.ts'

/**
 * Parameters of similar services that paytwin does not support yet, each with the values that request paytwin's only
 * behavior. Other values are refused, because ignoring them would give wrong amounts or dates. When you implement one of
 * these parameters, delete its row here. A route whose schema has the parameter accepts it.
 */
const UNSUPPORTED: Readonly<Record<string, readonly unknown[]>> = {
  // Discounts, of objects that have none.
  coupon: [],
  discounts: [[]],
  promotion_code: [],
  // Proration, and other anchors of periods.
  proration_behavior: ['none'],
  proration_date: [],
  prorate: [false],
  invoice_now: [false],
  billing_cycle_anchor: ['unchanged'],
  billing_cycle_anchor_config: [],
  backdate_start_date: [],
  trial_from_plan: [false],
  // Prices and products that are created with another object.
  price_data: [],
  product_data: [],
  plan: [],
  // Prices other than a fixed amount per unit. Prices that are created with another object cannot be metered.
  usage_type: ['licensed'],
  meter: [],
  aggregate_usage: [],
  event_time_window: [],
  dimension_payload_keys: [[]],
  clear_usage: [false],
  custom_unit_amount: [],
  currency_options: [],
  // Older parameters of previews, and schedules.
  subscription_items: [],
  invoice_items: [],
  schedule: [],
  schedule_details: [],
  // Further amounts of an invoice.
  add_invoice_items: [[]],
  pending_invoice_item_interval: [],
  billing_thresholds: [],
  balance: [0],
  tax_rates: [[]],
  default_tax_rates: [[]],
  automatic_tax: [{ enabled: false }],
  // Evidence in files.
  ...Object.fromEntries(
    [
      'cancellation_policy',
      'customer_communication',
      'customer_signature',
      'duplicate_charge_documentation',
      'enhanced_evidence',
      'receipt',
      'refund_policy',
      'service_documentation',
      'shipping_documentation',
      'uncategorized_file',
    ].map((name) => [name, []]),
  ),
  // Further parameters of credit notes.
  refunds: [[]],
  email_type: ['none'],
  effective_at: [],
  shipping_cost: [],
  tax_amounts: [[]],
  unit_amount_decimal: [],
  // Payments in two steps, and payments to other accounts.
  capture_method: ['automatic', 'automatic_async'],
  payment_method_data: [],
  application_fee_amount: [],
  application_fee_percent: [],
  transfer_data: [],
  on_behalf_of: [],
}

/**
 * Parameters that only the creation of an object takes. A route with the parameter in its schema accepts it.
 * See docs/contract/usage.md#meters.
 */
const FIXED: ReadonlySet<string> = new Set([
  'event_name',
  'default_aggregation',
  'customer_mapping',
  'value_settings',
])

/**
 * Refuses parameters that paytwin does not support yet, at any depth except within metadata.
 * @throws ApiError parameter_unknown
 * See docs/contract/requests.md#unsupported-parameters.
 */
export function refuseUnsupported(schema: z.core.$ZodType, raw: Raw): void {
  const found = findUnsupported(schema, raw, [])
  if (found) throw refusalOf(found)
}

type Found = { readonly path: readonly string[]; readonly allowed: readonly unknown[] }

/** Finds the first parameter that is listed, has a value that is not allowed, and is not in the schema. */
function findUnsupported(schema: z.core.$ZodType, raw: object, path: readonly string[]): Found | undefined {
  for (const [name, value] of Object.entries(raw)) {
    if (name === 'metadata') continue
    const at = [...path, name]
    const allowed = FIXED.has(name) ? [] : Object.hasOwn(UNSUPPORTED, name) ? UNSUPPORTED[name] : undefined
    const isAllowed = allowed === undefined || ['', null, ...allowed].some((each) => isSame(each, value))
    if (!isAllowed && !hasParam(schema, at)) return { path: at, allowed }
    const within =
      typeof value === 'object' && value !== null ? findUnsupported(schema, value, at) : undefined
    if (within) return within
  }
  return undefined
}

/** Whether two values are the same parameter. In a form, booleans and numbers are strings. */
const isSame = (left: unknown, right: unknown): boolean => textOf(left) === textOf(right)
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_name, each) => (typeof each === 'object' ? each : String(each)))

type Definition = {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly element?: z.core.$ZodType
  readonly innerType?: z.core.$ZodType
  readonly in?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
}

/** Whether a schema has a parameter at a path. */
function hasParam(schema: z.core.$ZodType, path: readonly string[]): boolean {
  const [name, ...rest] = path
  if (name === undefined) return true
  const { type, shape, element, innerType, in: given, options } = schema._zod.def as unknown as Definition
  // A payload can have any names.
  if (type === 'record') return true
  const inner = innerType ?? given
  if (inner) return hasParam(inner, path)
  if (options) return options.some((option) => hasParam(option, path))
  if (element) return hasParam(element, rest)
  const field = shape && Object.hasOwn(shape, name) ? shape[name] : undefined
  return field !== undefined && hasParam(field, rest)
}

function refusalOf({ path, allowed }: Found): ApiError {
  if (FIXED.has(path.at(-1) ?? ''))
    return parameterUnknown(nameOf(path), `${path.at(-1)} is set at the creation and cannot be changed`)
  const [only] = allowed
  const other = typeof only === 'string' || typeof only === 'boolean' ? ` other than ${only}` : ''
  return parameterUnknown(nameOf(path), `paytwin does not support ${path.at(-1)}${other} yet`)
}
