import type { ReadUsage } from '../../core/billing/usage.ts'
import { assert } from '../../core/errors.ts'
import type { Meter } from '../../core/meter.ts'
import { type BilledPrice, meterOf } from '../../core/price.ts'
import type { Store } from '../../store/store.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** The sources of usage: the store, and the price and the meter of an item. */
export type UsageView = {
  readonly store: Store
  readonly price: (id: string) => BilledPrice
  readonly meter: (id: string) => Meter
  /** Only usage that was known at the end of this instant, in Unix seconds; by default all usage. */
  readonly asOf?: number | undefined
}

/** Makes a reader of a customer's usage. Each call runs one statement. See docs/contract/usage.md#aggregation. */
export const usageReader =
  ({ store, price, meter, asOf }: UsageView, customer: string): ReadUsage =>
  (item, { start, end }) => {
    const id = meterOf(price(item.price))
    assert(id, `the price ${item.price} has a meter`)
    const { formula } = meter(id).default_aggregation
    const quantity = store.meterEvents.aggregate(formula, { customer, meter: id, start, end, asOf })
    return quantity < 0n ? 0n : quantity
  }

/** Makes a reader of a customer's usage for a command. */
export const usageOf = (unit: UnitOfWork, customer: string): ReadUsage =>
  usageReader(
    {
      store: unit.store,
      price: (id) => unit.needWithoutMetadata('price', id),
      meter: (id) => unit.need('billing_meter', id),
    },
    customer,
  )
