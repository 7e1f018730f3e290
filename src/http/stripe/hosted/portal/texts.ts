import type { PriceTerms, Product } from '../../../../core/price.ts'
import type { CurrentView } from '../../../../engine/history/view.ts'

/** Returns the name of a price's product. */
export const nameOf = (
  { withoutMetadata }: Pick<CurrentView, 'withoutMetadata'>,
  price: PriceTerms,
): string => planName(price, price.product === null ? undefined : withoutMetadata('product', price.product))

/** Returns the name of a plan from its price and its product, if it has one. */
export const planName = (
  { nickname }: Pick<PriceTerms, 'nickname'>,
  product: Pick<Product, 'name'> | undefined,
): string => product?.name ?? nickname ?? 'Subscription'
