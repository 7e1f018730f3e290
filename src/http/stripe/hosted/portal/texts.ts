import type { PriceTerms, Product } from '../../../../core/price.ts'
import type { CurrentView } from '../../../../engine/history/view.ts'

/** Returns the name of a price's product. */
export const nameOf = ({ get }: Pick<CurrentView, 'get'>, price: PriceTerms): string =>
  planName(price, price.product === null ? undefined : get('product', price.product))

/** Returns the name of a plan from its price and its product, if it has one. */
export const planName = (
  { nickname }: Pick<PriceTerms, 'nickname'>,
  product: Pick<Product, 'name'> | undefined,
): string => product?.name ?? nickname ?? 'Subscription'
