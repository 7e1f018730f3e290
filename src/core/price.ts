import type { Recurring } from './calendar.ts'
import { addIntervals } from './calendar.ts'
import type { Metadata } from './metadata.ts'

/** A product. See docs/contract/customers.md#products. */
export type Product = {
  readonly id: string
  readonly created: number
  readonly name: string
  readonly active: boolean
  readonly description: string | null
  readonly metadata: Metadata
}

/** A price. `unit_amount` is in the smallest currency unit, 0 to 99999999. See docs/contract/customers.md#prices. */
export type Price = {
  readonly id: string
  readonly created: number
  readonly product: string | null
  readonly nickname: string | null
  readonly unit_amount: number
  readonly currency: string
  /** null for a one-time price. */
  readonly recurring: Recurring | null
  readonly active: boolean
  readonly lookup_key: string | null
  readonly metadata: Metadata
}

/** Reports whether an interval is at most three years long. See docs/contract/customers.md#prices. */
export const isWithinThreeYears = (recurring: Recurring): boolean =>
  addIntervals(0, recurring, 1) <= addIntervals(0, { interval: 'year', interval_count: 3 }, 1)
