import type { Period } from './calendar.ts'

/** What a line or an invoice item corrects after a change of a subscription within a period. */
export type ItemProration = Period & {
  readonly subscription_item: string
  /** The start of the billing period that it corrects. */
  readonly cycle: number
  /** Set if it corrects nothing, but bills the usage of that span. See docs/contract/usage.md#billing. */
  readonly is_usage?: true
}

/** Reports whether a line or an invoice item corrects a period after a change: others of a subscription item bill its usage. */
export const isCorrection = (proration: ItemProration | null | undefined): boolean =>
  proration != null && !proration.is_usage
