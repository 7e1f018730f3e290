import type { Raw } from '../../form.ts'
import { inEntries } from '../raw-list.ts'

/** Converts the parameters of versions before 2025-03-31.basil. Names that a route does not know are refused by the route. */
export function basilParams(route: string, params: Raw): Raw {
  const convert = Object.hasOwn(CONVERSIONS, route) ? CONVERSIONS[route] : undefined
  return convert ? convert(params) : params
}

/** Converts `coupon` and `promotion_code` to the only entry of `discounts`. An empty value removes all discounts. */
function asDiscounts({ coupon, promotion_code, ...params }: Raw): Raw {
  const given = Object.entries({ coupon, promotion_code }).filter(([, value]) => value !== undefined)
  if (given.length === 0) return params
  // Both forms together are refused.
  if (params.discounts !== undefined || given.length > 1) return { ...params, ...Object.fromEntries(given) }
  const isRemoval = given.every(([, value]) => value === '' || value === null)
  return { ...params, discounts: isRemoval ? '' : [Object.fromEntries(given)] }
}

/** Converts `price` to `pricing`. */
const asPricing = ({ price, ...params }: Raw): Raw =>
  price === undefined ? params : { ...params, pricing: { price } }

/** Converts `price` to `pricing`, and `unit_amount` to its decimal form. */
function asItemPricing({ unit_amount, ...params }: Raw): Raw {
  const converted = asPricing(params)
  return unit_amount === undefined || params.unit_amount_decimal !== undefined
    ? { ...converted, ...(unit_amount !== undefined && { unit_amount }) }
    : { ...converted, unit_amount_decimal: String(unit_amount) }
}

const DETAILS = [
  'billing_cycle_anchor',
  'cancel_at',
  'cancel_at_period_end',
  'cancel_now',
  'items',
  'proration_behavior',
  'proration_date',
  'trial_end',
] as const

/** Converts parameters such as `subscription_items` to those in `subscription_details`. */
function asDetails(params: Raw): Raw {
  const named = DETAILS.map((name) => [name, params[`subscription_${name}`]] as const)
  const details = named.filter(([, value]) => value !== undefined)
  if (details.length === 0) return params
  const names = details.map(([name]) => `subscription_${name}`)
  const others = Object.entries(params).filter(([name]) => !names.includes(name))
  const { subscription_details } = params
  return {
    ...Object.fromEntries(others),
    subscription_details: {
      ...(typeof subscription_details === 'object' && subscription_details),
      ...Object.fromEntries(details),
    },
  }
}

/** Converts `coupon` and `promotion_code` of each phase. */
const asPhaseDiscounts = (params: Raw): Raw => inEntries(params, 'phases', asDiscounts)

const upcoming = (params: Raw): Raw => asDiscounts(asDetails(params))

const CONVERSIONS: Readonly<Record<string, (params: Raw) => Raw>> = {
  'POST /v1/subscriptions': asDiscounts,
  'POST /v1/subscriptions/:id': asDiscounts,
  'POST /v1/subscription_schedules': asPhaseDiscounts,
  'POST /v1/subscription_schedules/:id': asPhaseDiscounts,
  'POST /v1/invoiceitems': asItemPricing,
  'POST /v1/invoiceitems/:id': asPricing,
  'POST /v1/invoices/create_preview': asDiscounts,
  'GET /v1/invoices/upcoming': upcoming,
  'GET /v1/invoices/upcoming/lines': upcoming,
}
