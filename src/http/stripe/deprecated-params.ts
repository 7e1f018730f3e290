import type { Raw } from '../form.ts'
import { inEntries, isRecord } from './raw-list.ts'

/**
 * Converts the parameters that Stripe deprecated long ago, and still takes in every version: `plan` of an item is its
 * `price`, and a subscription itself can have the `plan` and `quantity` of its only item. The route checks all other names.
 */
export function deprecatedParams(route: string, params: Raw): Raw {
  const convert = Object.hasOwn(CONVERSIONS, route) ? CONVERSIONS[route] : undefined
  return convert ? convert(params) : params
}

/** Converts `plan` to `price`. Both together are refused by the route. */
function withPrice(params: Raw): Raw {
  if (params.plan === undefined || params.price !== undefined) return params
  const { plan: price, ...others } = params
  return { ...others, price }
}

/** Converts `plan`, or `price`, and `quantity` of a subscription to its only item. */
function asItem(params: Raw): Raw {
  const { price, quantity, ...others } = withPrice(params)
  if (price === undefined || params.items !== undefined) return withItems(params)
  return { ...others, items: [{ price, ...(quantity !== undefined && { quantity }) }] }
}

const withItems = (params: Raw): Raw => inEntries(params, 'items', withPrice)
const withPhases = (params: Raw): Raw => inEntries(params, 'phases', withItems)
const withDetails = (params: Raw): Raw =>
  isRecord(params.subscription_details)
    ? { ...params, subscription_details: withItems(params.subscription_details) }
    : params

const CONVERSIONS: Readonly<Record<string, (params: Raw) => Raw>> = {
  'GET /v1/subscriptions': withPrice,
  'POST /v1/subscriptions': asItem,
  'POST /v1/subscriptions/:id': (params) => withItems(withPrice(params)),
  'POST /v1/subscription_items': withPrice,
  'POST /v1/subscription_items/:id': withPrice,
  'POST /v1/subscription_schedules': withPhases,
  'POST /v1/subscription_schedules/:id': withPhases,
  'POST /v1/invoices/create_preview': withDetails,
  'GET /v1/invoices/upcoming': withDetails,
  'GET /v1/invoices/upcoming/lines': withDetails,
}
