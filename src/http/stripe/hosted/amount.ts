import { decimalsOf } from '../../../core/money.ts'

const FORMATS = new Map<string, Intl.NumberFormat>()

/** Formats an amount for a customer: `$20.00`, `€20.00`, `¥1,500`. A currency without a symbol has its code: `CHF 20.00`. */
export function amountText(amountMinor: number, currency: string): string {
  const decimals = decimalsOf(currency)
  return formatOf(currency, decimals).format(amountMinor / 10 ** decimals)
}

/** Creates the format of a currency once, because that takes longer than a page. */
function formatOf(currency: string, decimals: number): Intl.NumberFormat {
  const known = FORMATS.get(currency)
  if (known) return known
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  FORMATS.set(currency, format)
  return format
}
