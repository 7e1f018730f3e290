import type { Address } from '../../../../core/contact.ts'
import type { Price } from '../../../../core/price.ts'
import type { CurrentView } from '../../../../engine/history/view.ts'

/** Returns the name of a price's product. */
export const nameOf = ({ get }: Pick<CurrentView, 'get'>, { product, nickname }: Price): string =>
  (product === null ? undefined : get('product', product)?.name) ?? nickname ?? 'Subscription'

/** Returns the lines of an address that are set. */
export const addressLines = ({ line1, line2, city, state, postal_code, country }: Address): string[] =>
  [line1, line2, [postal_code, city].filter(Boolean).join(' '), state, country].filter(
    (line): line is string => Boolean(line),
  )
