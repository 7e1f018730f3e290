import * as z from 'zod'
import type { ProductDetails } from '../../core/price.ts'
import { parseUrl } from '../../core/url.ts'
import { deferred } from '../deferred.ts'
import { metadata, optionalText, text } from '../fields.ts'

/** Stripe's limits. */
const MAX_IMAGES = 8
const MAX_FEATURES = 15

const url = z
  .string()
  .max(5_000)
  .refine((given) => parseUrl(given) !== undefined, { error: 'expected a URL' })

/** An empty value removes the value, or all entries of a list. */
const removal = z.literal('')

/** The parameters that say how a product is shown. */
export const productDetails = deferred(() => ({
  images: z.union([z.array(url).max(MAX_IMAGES), removal]).optional(),
  marketing_features: z
    .union([z.array(z.object({ name: text.min(1).max(80) })).max(MAX_FEATURES), removal])
    .optional(),
  shippable: z.boolean().optional(),
  statement_descriptor: z.string().max(22).nullable().optional(),
  tax_code: optionalText,
  unit_label: z.string().max(12).nullable().optional(),
  url: url.nullable().optional(),
}))

/** A product that is created together with its price. */
export const newProductData = deferred(() => {
  const { statement_descriptor, tax_code, unit_label } = productDetails()
  return z.object({ name: text.min(1), statement_descriptor, tax_code, unit_label, metadata })
})

/** A product that is created for a line of a Checkout session. */
export const checkoutProduct = deferred(() => {
  const { images, tax_code, unit_label } = productDetails()
  return z.object({
    name: text.min(1),
    description: text.optional(),
    images,
    tax_code,
    unit_label,
    metadata,
  })
})

type Given = z.output<z.ZodObject<ReturnType<typeof productDetails>>>

/** Returns a copy of the parameters with the details of the product in the field `details`. */
export function withProductDetails<Params extends Partial<Given>>(params: Params) {
  const {
    images,
    marketing_features,
    shippable,
    statement_descriptor,
    tax_code,
    unit_label,
    url,
    ...others
  } = params
  const details: Partial<ProductDetails> = {
    ...(images !== undefined && { images: images === '' ? [] : images }),
    ...(marketing_features !== undefined && {
      marketing_features: marketing_features === '' ? [] : marketing_features.map(({ name }) => name),
    }),
    ...(shippable !== undefined && { shippable }),
    ...(statement_descriptor !== undefined && { statement_descriptor }),
    ...(tax_code !== undefined && { tax_code }),
    ...(unit_label !== undefined && { unit_label }),
    ...(url !== undefined && { url }),
  }
  return { ...others, details }
}
