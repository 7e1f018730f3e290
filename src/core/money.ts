import { amountTooLarge } from './errors.ts'

/** The largest amount, in the smallest currency unit. See docs/contract/requests.md#amounts. */
export const MAX_AMOUNT = 99_999_999

/**
 * Returns the amount of a quantity of a price. All amounts are integers in the smallest currency unit, and no rule of
 * the contract divides one, so nothing is rounded. A rule that has to round belongs here.
 */
export const lineAmount = (unitAmountMinor: number, quantity: number): number => unitAmountMinor * quantity

/**
 * Adds amounts in the smallest currency unit.
 * @throws ApiError amount_too_large when the sum exceeds the maximum. See docs/contract/requests.md#amounts.
 */
export function total(amounts: readonly number[]): number {
  const sum = amounts.reduce((left, right) => left + right, 0)
  if (sum > MAX_AMOUNT) throw amountTooLarge(`The total of ${sum} exceeds the maximum of ${MAX_AMOUNT}`)
  return sum
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

/** Formats an amount for people: `20.00 USD`, `1500 JPY`. */
export function formatAmount(amountMinor: number, currency: string): string {
  const decimals = DECIMALS[currency] ?? 2
  return `${(amountMinor / 10 ** decimals).toFixed(decimals)} ${currency.toUpperCase()}`
}
