import type { Raw } from '../../form.ts'
import type { VersionChange } from '../../versions.ts'
import { byName } from './resources.ts'

/** The changes of version 2025-09-30.clover. */
export const CLOVER: readonly VersionChange[] = [
  {
    description:
      'Discounts and promotion codes have `coupon`, a whole object, in place of `source` and `promotion`.',
    request: (route, params) => (route === 'POST /v1/promotion_codes' ? asPromotion(params) : params),
    response: byName({
      discount: ({ source: _, ...discount }, { view, show }) => {
        const coupon = view.get('discount', discount.id)?.coupon
        return { ...discount, coupon: coupon === undefined ? null : (show('coupon', coupon) ?? null) }
      },
      promotion_code: ({ promotion: _, ...code }, { view, show }) => {
        const coupon = view.get('promotion_code', code.id)?.coupon
        return { ...code, coupon: coupon === undefined ? null : (show('coupon', coupon) ?? null) }
      },
    }),
  },
]

const asPromotion = ({ coupon, ...params }: Raw): Raw =>
  coupon === undefined ? params : { ...params, promotion: { type: 'coupon', coupon } }
