import type { Address } from '../../../../core/contact.ts'
import type { PaymentMethod } from '../../../../core/payment-method.ts'
import type { Price } from '../../../../core/price.ts'
import type { CurrentView } from '../../../../engine/history/view.ts'

/** Returns the name of what a price is for. */
export const nameOf = ({ get }: Pick<CurrentView, 'get'>, { product, nickname }: Price): string =>
  (product === null ? undefined : get('product', product)?.name) ?? nickname ?? 'Subscription'

const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  eftpos_au: 'eftpos Australia',
  jcb: 'JCB',
  unionpay: 'UnionPay',
}

/** Formats a payment method: `Visa •••• 4242`. */
export function methodName({ card, type }: PaymentMethod): string {
  if (!card) return type.replaceAll('_', ' ')
  const { brand, last4 } = card
  return `${BRANDS[brand] ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`} •••• ${last4}`
}

/** Returns the lines of an address that are set. */
export const addressLines = ({ line1, line2, city, state, postal_code, country }: Address): string[] =>
  [line1, line2, [postal_code, city].filter(Boolean).join(' '), state, country].filter(
    (line): line is string => Boolean(line),
  )
