import type { PaymentMethod, PaymentMethodType } from '../../../core/payment-method.ts'

/** The names of the types of payment methods, as customers know them. */
export const METHOD_NAMES: Readonly<Record<PaymentMethodType, string>> = {
  card: 'Card',
  pix: 'Pix',
  boleto: 'Boleto',
  oxxo: 'OXXO',
  konbini: 'Konbini',
  promptpay: 'PromptPay',
  bank_transfer: 'Bank transfer',
}

/** The names of brands, if they are not just the identifier with a capital letter. */
const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  eftpos_au: 'eftpos Australia',
  jcb: 'JCB',
  unionpay: 'UnionPay',
}

/** Formats a payment method for its customer: `Visa •••• 4242`, or the name of its type. */
export function methodName({ card, type }: Pick<PaymentMethod, 'card' | 'type'>): string {
  if (!card) return METHOD_NAMES[type]
  const { brand, last4 } = card
  return `${BRANDS[brand] ?? `${brand.charAt(0).toUpperCase()}${brand.slice(1)}`} •••• ${last4}`
}
