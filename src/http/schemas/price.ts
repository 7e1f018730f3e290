import { z } from 'zod'
import { INTERVAL_UNITS } from '../../core/calendar.ts'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, money, reference, text } from './fields.ts'

export const productSchema = component('Product', () =>
  z
    .object({
      ...common('product', 'prod'),
      name: text('What it is called.'),
      active: z.boolean().describe('Whether it is on offer.'),
      description: text('What it is.').nullable(),
      metadata: metadata(),
    })
    .describe('Something that you sell; prices say for how much.'),
)
export type ProductShape = Shape<typeof productSchema>
export const productList = listOf(productSchema)

export const priceSchema = component('Price', () =>
  z
    .object({
      ...common('price', 'price'),
      active: z.boolean().describe('Whether new subscriptions may use it.'),
      currency: currency(),
      lookup_key: text('A name of your own by which to find it.').nullable(),
      nickname: text('Words for your own use.').nullable(),
      product: reference('What it is the price of.', 'Product').nullable(),
      recurring: z
        .object({
          interval: z.enum(INTERVAL_UNITS).describe('The unit of the interval.'),
          interval_count: z
            .int()
            .describe('How many of the units lie between two bills: at most three years.'),
        })
        .nullable()
        .describe('How often it is billed; null for a one-time price.'),
      type: z
        .enum(['one_time', 'recurring'])
        .describe('Whether it is billed once or again and again. Subscriptions take recurring ones only.'),
      unit_amount: money('What one unit costs, 0 to 99999999'),
      metadata: metadata(),
    })
    .describe('What a unit of something costs, once or at each interval.'),
)
export type PriceShape = Shape<typeof priceSchema>
export const priceList = listOf(priceSchema)
