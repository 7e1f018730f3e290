import type { Price } from '../../../../core/price.ts'
import type { CurrentView } from '../../../../engine/history/view.ts'

/** Returns the name of a price's product. */
export const nameOf = ({ get }: Pick<CurrentView, 'get'>, { product, nickname }: Price): string =>
  (product === null ? undefined : get('product', product)?.name) ?? nickname ?? 'Subscription'
