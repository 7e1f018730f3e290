import type { Period } from './calendar.ts'

/** The span for which a line or an invoice item corrects the billing after a change of a subscription within a period. */
export type ItemProration = Period & {
  readonly subscription_item: string
  /** The start of the billing period that it corrects. */
  readonly cycle: number
  /** Set if it does not correct the billing of the span, but bills its usage. See docs/contract/usage.md#billing. */
  readonly is_usage?: true
  /** The whole quantity of usage that is not whole. */
  readonly quantity_decimal?: string
  /** Set on an invoice item when its period is replaced by one with the same start. */
  readonly is_replaced?: true
}

/** Reports whether a line or an invoice item corrects the billing of a period, rather than bills its usage. */
export const isCorrection = (proration: ItemProration | null | undefined): boolean =>
  proration != null && !proration.is_usage
