import { amountTooLarge } from './errors.ts'

/** The largest amount, in the smallest currency unit. See docs/contract/requests.md#amounts. */
export const MAX_AMOUNT = 99_999_999

/** Adds the amounts of lines. */
export const sumOf = (lines: readonly { readonly amount: number }[]): number =>
  lines.reduce((sum, { amount }) => sum + amount, 0)

/**
 * Adds amounts in the smallest currency unit.
 * @throws ApiError amount_too_large when the sum exceeds the maximum. See docs/contract/requests.md#amounts.
 */
export function total(amounts: readonly number[]): number {
  const sum = amounts.reduce((left, right) => left + right, 0)
  if (sum > MAX_AMOUNT) throw amountTooLarge(`The total of ${sum} exceeds the maximum of ${MAX_AMOUNT}`)
  return sum
}

/** A fraction of an amount: `amount × part / whole`. All are integers, and `whole` is positive. */
export type Share = { readonly amount: number; readonly part: number; readonly whole: number }

/**
 * Adds fractions of amounts and rounds the sum once, half away from zero. The result is exact for all amounts and periods.
 * See docs/contract/proration.md#rounding.
 */
export const sumOfShares = (shares: readonly Share[]): number => estimatedSum(shares) ?? exactSum(shares)

/**
 * Adds fractions of amounts with floating-point numbers, and rounds the sum. For many fractions that is a hundred times as quick.
 * @returns undefined if the sum is too near to a half to know which way it is rounded
 */
function estimatedSum(shares: readonly Share[]): number | undefined {
  let sum = 0
  let size = 0
  for (const { amount, part, whole } of shares) {
    const share = (amount * part) / whole
    sum += share
    size += Math.abs(share)
  }
  // Each product, quotient and sum is wrong by at most half of the epsilon, relative to a number that is at most the size.
  const error = (shares.length + 2) * Number.EPSILON * size
  const distance = Math.abs(sum - Math.floor(sum) - 0.5)
  // Math.round returns -0 for small negative sums.
  return distance > error ? Math.round(sum) || 0 : undefined
}

function exactSum(shares: readonly Share[]): number {
  const byWhole = new Map<number, bigint>()
  for (const { amount, part, whole } of shares)
    byWhole.set(whole, (byWhole.get(whole) ?? 0n) + BigInt(amount) * BigInt(part))
  const { numerator, denominator } = sumOfFractions(
    Array.from(byWhole, ([whole, sum]) => ({ numerator: sum, denominator: BigInt(whole) })),
  )
  return roundedQuotient(numerator, denominator)
}

/** Divides integers and rounds half away from zero. The denominator is positive. */
export function roundedQuotient(numerator: bigint, denominator: bigint): number {
  const isNegative = numerator < 0n
  const size = isNegative ? -numerator : numerator
  const rounded = Number((2n * size + denominator) / (2n * denominator))
  return isNegative ? -rounded : rounded
}

type Fraction = { readonly numerator: bigint; readonly denominator: bigint }

/**
 * Adds fractions exactly. The common denominator has a number of digits for each fraction, so adding them one by one would
 * take time that is quadratic in their number. Halves of equal size are multiplied much faster.
 */
function sumOfFractions(fractions: readonly Fraction[]): Fraction {
  const [first = { numerator: 0n, denominator: 1n }] = fractions
  if (fractions.length <= 1) return first
  const middle = fractions.length >> 1
  const left = sumOfFractions(fractions.slice(0, middle))
  const right = sumOfFractions(fractions.slice(middle))
  return {
    numerator: left.numerator * right.denominator + right.numerator * left.denominator,
    denominator: left.denominator * right.denominator,
  }
}

/** ISO 4217 codes of the supported currencies, lowercase. See docs/contract/requests.md#currency. */
export const CURRENCIES: ReadonlySet<string> = new Set(
  (
    'aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob bov brl bsd btn bwp byn bzd cad cdf che chf chw ' +
    'clf clp cny cop cou crc cuc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl hrk ' +
    'htg huf idr ils inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk ' +
    'mnt mop mru mur mvr mwk mxn mxv myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd ' +
    'scr sdg sek sgd shp sle sll sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd usn uyi uyu uyw uzs ' +
    'ved ves vnd vuv wst xaf xcd xcg xof xpf yer zar zmw zwg zwl'
  ).split(' '),
)

/** The number of decimals of currencies whose smallest unit is not a hundredth. */
const DECIMALS: Readonly<Record<string, number>> = {
  bhd: 3,
  iqd: 3,
  jod: 3,
  kwd: 3,
  lyd: 3,
  omr: 3,
  tnd: 3,
  clf: 4,
  uyw: 4,
  bif: 0,
  clp: 0,
  djf: 0,
  gnf: 0,
  isk: 0,
  jpy: 0,
  kmf: 0,
  krw: 0,
  pyg: 0,
  rwf: 0,
  ugx: 0,
  uyi: 0,
  vnd: 0,
  vuv: 0,
  xaf: 0,
  xof: 0,
  xpf: 0,
}

/** Returns the number of decimals of a currency: 2 of `usd`, 0 of `jpy`. */
export const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2

/** Formats an amount for people: `20.00 USD`, `1500 JPY`. */
export function formatAmount(amountMinor: number, currency: string): string {
  const decimals = decimalsOf(currency)
  return `${(amountMinor / 10 ** decimals).toFixed(decimals)} ${currency.toUpperCase()}`
}

/** Formats a decimal amount that is not whole, in the smallest currency unit: `0.5` US cents are `0.005 USD`. */
export function formatDecimal(decimalMinor: string, currency: string): string {
  const decimals = decimalsOf(currency)
  const [whole = '', fraction = ''] = decimalMinor.split('.')
  const digits = whole.padStart(decimals + 1, '0')
  const point = digits.length - decimals
  return `${digits.slice(0, point)}.${digits.slice(point)}${fraction} ${currency.toUpperCase()}`
}
