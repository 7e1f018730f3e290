import type { Raw } from '../../form.ts'
import type { VersionChange } from '../../versions.ts'
import { byName } from './resources.ts'

/** The changes of version 2024-06-20. */
export const JUNE_2024: readonly VersionChange[] = [
  {
    description: '`capture_method` of a payment intent is `automatic`.',
    response: byName({
      payment_intent: (intent) =>
        intent.capture_method === 'automatic_async' ? { ...intent, capture_method: 'automatic' } : intent,
    }),
  },
]

/** The changes of version 2024-04-10. */
export const APRIL_2024: readonly VersionChange[] = [
  {
    description:
      'Products have `features` in place of `marketing_features`, and invoices have `rendering_options`.',
    request: (route, params) =>
      route.startsWith('POST /v1/products') && params.marketing_features === undefined
        ? asMarketing(params)
        : params,
    response: byName({
      product: ({ marketing_features: features, ...product }) => ({ ...product, features }),
      invoice: (invoice) => ({ ...invoice, rendering_options: null }),
    }),
  },
]

const asMarketing = ({ features, ...params }: Raw): Raw =>
  features === undefined ? params : { ...params, marketing_features: features }

/** The changes of version 2022-11-15. */
export const NOVEMBER_2022: readonly VersionChange[] = [
  {
    description: 'Payment intents have `charges`, with the latest charge.',
    response: byName({
      payment_intent: (intent, { show }) => {
        const charge = intent.latest_charge === null ? undefined : show('charge', intent.latest_charge)
        return {
          ...intent,
          charges: {
            object: 'list',
            data: charge ? [charge] : [],
            has_more: false,
            total_count: charge ? 1 : 0,
            url: `/v1/charges?payment_intent=${intent.id}`,
          },
        }
      },
    }),
  },
]

/** The changes of version 2022-08-01. */
export const AUGUST_2022: readonly VersionChange[] = [
  {
    description: 'A new invoice includes the pending invoice items of its customer by default.',
    request: (route, params) =>
      route === 'POST /v1/invoices' ? { pending_invoice_items_behavior: 'include', ...params } : params,
  },
  {
    description: 'A Checkout session without a customer creates one by default for a payment.',
    request: (route, params) =>
      route === 'POST /v1/checkout/sessions' && createsCustomer(params)
        ? { customer_creation: 'always', ...params }
        : params,
  },
]

/** Reports whether the default of customer_creation applies: for a payment without a customer. */
const createsCustomer = ({ mode = 'payment', customer }: Raw): boolean =>
  mode === 'payment' && customer === undefined
