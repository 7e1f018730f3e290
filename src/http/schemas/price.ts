import * as z from 'zod'
import { INTERVAL_UNITS } from '../../core/calendar.ts'
import { ROUNDINGS, TIERS_MODES, USAGE_TYPES } from '../../core/price.ts'
import { component, type Shape } from './component.ts'
import { commonOf, currency, listOf, metadata, money, reference, text } from './fields.ts'

export const productSchema = component('Product', () =>
  z
    .object({
      ...commonOf('product'),
      name: text('The name.'),
      active: z.boolean().describe('Whether the product is available.'),
      description: text('The description.').nullable(),
      default_price: reference('The default price.', 'Price').nullable(),
      metadata: metadata(),
    })
    .describe('A product that you sell. Its prices are separate objects.'),
)
export type ProductShape = Shape<typeof productSchema>
export const productList = listOf(productSchema)

const tier = () =>
  z.object({
    up_to: z.int().nullable().describe('The last quantity of the tier; null for the last tier.'),
    unit_amount: money(
      'The amount for one unit in the tier; null if it is not whole, or if there is none',
    ).nullable(),
    unit_amount_decimal: text('The same as a decimal; null if there is none.').nullable(),
    flat_amount: money(
      'The amount for the tier as a whole; null if it is not whole, or if there is none',
    ).nullable(),
    flat_amount_decimal: text('The same as a decimal; null if there is none.').nullable(),
  })

const transformQuantity = () =>
  z.object({
    divide_by: z.int().describe('The number by which the quantity is divided.'),
    round: z.enum(ROUNDINGS).describe('Whether a fraction is rounded up or down.'),
  })

export const priceSchema = component('Price', () =>
  z
    .object({
      ...commonOf('price'),
      active: z.boolean().describe('Whether new subscriptions can use the price.'),
      billing_scheme: z
        .enum(['per_unit', 'tiered'])
        .describe('per_unit: each unit costs unit_amount. tiered: tiers decide what a quantity costs.'),
      currency: currency(),
      lookup_key: text('A key of your choice to find the price by.').nullable(),
      nickname: text('A name for your own use.').nullable(),
      product: reference('The product.', 'Product').nullable(),
      recurring: z
        .object({
          interval: z.enum(INTERVAL_UNITS).describe('The unit of the interval.'),
          interval_count: z
            .int()
            .describe('The number of units between two bills. The interval is at most three years.'),
          usage_type: z
            .enum(USAGE_TYPES)
            .describe(
              'licensed: a quantity is billed in advance. metered: the usage of a period is billed at its end.',
            ),
          meter: reference(
            'The meter that measures the usage; null for a licensed price.',
            'BillingMeter',
          ).nullable(),
        })
        .nullable()
        .describe('The billing interval; null for a one-time price.'),
      tiers: z.array(tier()).nullable().describe('The tiers in order; null if there are none.'),
      tiers_mode: z
        .enum(TIERS_MODES)
        .nullable()
        .describe(
          'graduated: the part of a quantity in each tier is billed. volume: the tier that the quantity reaches bills it as a whole.',
        ),
      transform_quantity: transformQuantity()
        .nullable()
        .describe('Divides a quantity before it is billed; null to bill each unit.'),
      type: z
        .enum(['one_time', 'recurring'])
        .describe('one_time or recurring. Subscriptions accept recurring prices only.'),
      unit_amount: money(
        'The amount for one unit, 0 to 99999999; null if it is not whole, or if there are tiers',
      ).nullable(),
      unit_amount_decimal: text(
        'The amount for one unit as a decimal with up to 12 decimals; null if there are tiers.',
      ).nullable(),
      metadata: metadata(),
    })
    .describe('What a quantity costs, billed once or at each interval.'),
)
export type PriceShape = Shape<typeof priceSchema>
export const priceList = listOf(priceSchema)
