import type Stripe from 'stripe'
import * as z from 'zod'
import { parameterMissing } from '../../../core/errors.ts'
import type { Flow, FlowCompletion, FlowStep } from '../../../core/portal-session.ts'
import { createPortalSession } from '../../../engine/resources/portal-session.ts'
import { deferred } from '../../deferred.ts'
import { quantity, reference } from '../../fields.ts'
import type { StripeApi } from '../api.ts'
import { returnUrl } from '../intent-params.ts'
import { presentPortalSession } from '../present/portal.ts'
import { returning } from '../returns.ts'
import type { Wire } from '../wire.ts'

const FLOWS = [
  'customer_update',
  'payment_method_update',
  'subscription_cancel',
  'subscription_update',
  'subscription_update_confirm',
] as const

const ofSubscription = deferred(() => z.object({ subscription: reference }).optional())

const flowData = deferred(() =>
  z.object({
    type: z.enum(FLOWS),
    after_completion: z
      .object({
        type: z.enum(['hosted_confirmation', 'portal_homepage', 'redirect']),
        hosted_confirmation: z.object({ custom_message: z.string().max(500).optional() }).optional(),
        redirect: z.object({ return_url: returnUrl() }).optional(),
      })
      .optional(),
    subscription_cancel: ofSubscription(),
    subscription_update: ofSubscription(),
    subscription_update_confirm: z
      .object({
        subscription: reference,
        items: z
          .array(z.object({ id: reference, price: reference.optional(), quantity: quantity.optional() }))
          .length(1),
        discounts: z
          .array(z.object({ coupon: reference.optional(), promotion_code: reference.optional() }))
          .length(1)
          .optional(),
      })
      .optional(),
  }),
)
type FlowData = z.output<ReturnType<typeof flowData>>

const createParams = deferred(() =>
  z.object({
    customer: reference,
    configuration: reference.optional(),
    return_url: returnUrl().optional(),
    locale: z.string().min(2).max(10).optional(),
    flow_data: flowData().optional(),
  }),
)

export function portalSessionRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/billing_portal/sessions',
      summary: 'Creates a session of the customer portal, whose url is its page.',
      params: createParams,
      returns: returning<Wire<Stripe.BillingPortal.Session>>('billing_portal.session'),
    },
    ({ unit, view, params: { flow_data, ...params } }) => {
      const flow = flow_data && flowOf(flow_data)
      return presentPortalSession(view, createPortalSession(unit, { ...params, flow }))
    },
  )
}

const flowOf = (given: FlowData): Flow => ({
  step: stepOf(given),
  after_completion: completionOf(given.after_completion),
})

/** @throws ApiError parameter_missing */
function stepOf(given: FlowData): FlowStep {
  const missing = (field: string) => parameterMissing(`flow_data[${given.type}]${field}`)
  switch (given.type) {
    case 'customer_update':
    case 'payment_method_update':
      return { type: given.type }
    case 'subscription_cancel':
    case 'subscription_update': {
      const subscription = given[given.type]?.subscription
      if (subscription === undefined) throw missing('[subscription]')
      return { type: given.type, subscription }
    }
    case 'subscription_update_confirm': {
      const { subscription, items, discounts } = given.subscription_update_confirm ?? {}
      const [item] = items ?? []
      if (subscription === undefined) throw missing('[subscription]')
      if (!item) throw missing('[items]')
      return {
        type: given.type,
        subscription,
        item: { id: item.id, price: item.price ?? null, quantity: item.quantity ?? null },
        discounts:
          discounts?.map(({ coupon = null, promotion_code = null }) => ({ coupon, promotion_code })) ?? null,
      }
    }
  }
}

/** @throws ApiError parameter_missing */
function completionOf(given: FlowData['after_completion']): FlowCompletion {
  switch (given?.type) {
    case 'redirect': {
      const return_url = given.redirect?.return_url
      if (return_url === undefined)
        throw parameterMissing('flow_data[after_completion][redirect][return_url]')
      return { type: 'redirect', return_url }
    }
    case 'hosted_confirmation':
      return {
        type: 'hosted_confirmation',
        custom_message: given.hosted_confirmation?.custom_message ?? null,
      }
    default:
      return { type: 'portal_homepage' }
  }
}
