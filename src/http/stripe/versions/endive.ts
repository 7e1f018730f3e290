import type { Raw } from '../../form.ts'
import type { VersionChange } from '../../versions.ts'

/** Routes that had the parameter `payment_method_types`, which was renamed. */
const ROUTES: ReadonlySet<string> = new Set(
  ['payment_intents', 'setup_intents'].flatMap((path) =>
    ['', '/:id', '/:id/confirm'].map((end) => `POST /v1/${path}${end}`),
  ),
)

const CHECKOUT = 'POST /v1/checkout/sessions'

/** The changes of version 2026-09-30.endive. */
export const ENDIVE: readonly VersionChange[] = [
  {
    description:
      'Payment intents and setup intents take `payment_method_types` in place of `allowed_payment_method_types`. It must be `card`.',
    request: (route, params) => (ROUTES.has(route) ? withAllowedTypes(params) : params),
  },
  {
    description:
      'A new Checkout session takes `payment_method_types` in place of `allowed_payment_method_types`.',
    request: (route, { payment_method_types, ...params }) =>
      route === CHECKOUT && payment_method_types !== undefined
        ? { ...params, allowed_payment_method_types: payment_method_types }
        : { ...params, ...(payment_method_types !== undefined && { payment_method_types }) },
  },
]

/** Renames `payment_method_types` if it names cards only. Other types are refused under their old name. */
function withAllowedTypes({ payment_method_types: types, ...params }: Raw): Raw {
  if (types === undefined) return params
  const named = typeof types === 'object' && types !== null ? Object.values(types) : [types]
  const isCard = named.length > 0 && named.every((type) => type === 'card')
  return isCard
    ? { ...params, allowed_payment_method_types: types }
    : { ...params, payment_method_types: types }
}
