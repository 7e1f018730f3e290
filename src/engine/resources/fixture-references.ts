import type { FixtureIds } from './fixture-names.ts'
import type { DiscountParam } from './redemption.ts'
import type { SettingsParams } from './schedule-params.ts'
import type { ItemParams } from './subscription-items.ts'

/** Resolves the references of items. */
export const itemsOf = (names: FixtureIds, items: readonly ItemParams[]): ItemParams[] =>
  items.map(({ price, price_data, discounts, ...item }) => ({
    ...item,
    discounts: discountsOf(names, discounts),
    price: names.idOf('price', price),
    price_data: price_data && { ...price_data, product: names.idOf('product', price_data.product) },
  }))

/** Resolves the references of discounts. */
export const discountsOf = (names: FixtureIds, discounts: readonly DiscountParam[] | undefined) =>
  discounts?.map(
    ({ coupon, promotion_code, discount }): DiscountParam => ({
      coupon: names.idOf('coupon', coupon),
      promotion_code: names.idOf('promotion_code', promotion_code),
      discount,
    }),
  )

/** Resolves the references of the settings of a schedule or a phase. */
export const settingsOf = <Settings extends SettingsParams>(
  names: FixtureIds,
  settings: Settings,
): Settings => ({
  ...settings,
  default_payment_method:
    settings.default_payment_method && names.idOf('payment_method', settings.default_payment_method),
})
