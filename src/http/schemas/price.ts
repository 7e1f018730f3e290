import * as z from 'zod'
import { INTERVAL_UNITS } from '../../core/calendar.ts'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, money, reference, text } from './fields.ts'

export const productSchema = component('Product', () =>
  z
    .object({
      ...common('product', 'prod'),
      name: text('The name.'),
      active: z.boolean().describe('Whether the product is available.'),
      description: text('The description.').nullable(),
      metadata: metadata(),
    })
    .describe('A product that you sell. Its prices are separate objects.'),
)
export type ProductShape = Shape<typeof productSchema>
export const productList = listOf(productSchema)

export const priceSchema = component('Price', () =>
  z
    .object({
      ...common('price', 'price'),
      active: z.boolean().describe('Whether new subscriptions can use the price.'),
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
        })
        .nullable()
        .describe('The billing interval; null for a one-time price.'),
      type: z
        .enum(['one_time', 'recurring'])
        .describe('one_time or recurring. Subscriptions accept recurring prices only.'),
      unit_amount: money('The amount for one unit, 0 to 99999999'),
      metadata: metadata(),
    })
    .describe('The price of one unit, billed once or at each interval.'),
)
export type PriceShape = Shape<typeof priceSchema>
export const priceList = listOf(priceSchema)
