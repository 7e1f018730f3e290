import type Stripe from 'stripe'
import * as z from 'zod'
import { CHECKOUT_STATUSES } from '../../../core/checkout-session.ts'
import { expireCheckoutSession } from '../../../engine/resources/checkout-expiry.ts'
import { createCheckoutSession, updateCheckoutSession } from '../../../engine/resources/checkout-session.ts'
import { deferred } from '../../deferred.ts'
import { metadata, reference } from '../../fields.ts'
import { createdParam, equals, filtersOf, pageOfRead, pageParams } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { CHECKOUT_LOCATION_MISSING, checkTaxLocation } from '../automatic-tax.ts'
import { presentCheckoutLine, presentCheckoutSession } from '../present/checkout-session.ts'
import { listKind, returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'
import { createParams, linesOf, outcomesOf, settingsOf } from './checkout-params.ts'

const session = returning<Wire<Stripe.Checkout.Session>>('checkout.session')

const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    customer_details: z.object({ email: z.string().min(1).max(5_000) }).optional(),
    payment_intent: reference.optional(),
    status: z.enum(CHECKOUT_STATUSES).optional(),
    subscription: reference.optional(),
    created: createdParam(),
  }),
)

export function checkoutSessionRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/checkout/sessions',
      summary: 'Creates a Checkout session: a page on which a customer pays or saves a card.',
      params: createParams,
      returns: session,
    },
    ({ unit, view, params }) => {
      const { customer, customer_email, client_reference_id, currency, expires_at, metadata } = params
      if (customer !== undefined && params.customer_update?.address !== 'auto')
        checkTaxLocation(unit, { ...params, customer }, CHECKOUT_LOCATION_MISSING)
      const made = createCheckoutSession(unit, {
        ...{ customer, customer_email, client_reference_id, currency, expires_at, metadata },
        mode: params.mode,
        line_items: linesOf(params),
        discounts: params.discounts,
        settings: settingsOf(params),
        outcomes: outcomesOf(params),
      })
      return presentCheckoutSession(view, made)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/checkout/sessions',
      summary: 'Lists Checkout sessions.',
      params: listParams,
      returns: returningList<Wire<Stripe.Checkout.Session>>('checkout.session'),
    },
    (call) => {
      const { params } = call
      const filters = [
        ...filtersOf(params, 'customer', 'payment_intent', 'subscription', 'status'),
        ...equals('details_email', params.customer_details?.email),
      ]
      return listKind(call, 'checkout_session', filters, presentCheckoutSession)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/checkout/sessions/:id',
      summary: 'Retrieves a Checkout session.',
      returns: session,
    },
    ({ view, id }) => presentCheckoutSession(view, retrieve(view, 'checkout_session', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/checkout/sessions/:id',
      summary: 'Updates the metadata of a Checkout session.',
      params: deferred(() => z.object({ metadata })),
      returns: session,
    },
    ({ unit, view, params, id }) => presentCheckoutSession(view, updateCheckoutSession(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/checkout/sessions/:id/expire',
      summary: 'Expires an open Checkout session.',
      returns: session,
    },
    ({ unit, view, id }) => presentCheckoutSession(view, expireCheckoutSession(unit, id)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/checkout/sessions/:id/line_items',
      summary: 'Lists what a Checkout session sells.',
      params: deferred(() => z.object(pageParams)),
      returns: returningList<Wire<Stripe.LineItem>>('item'),
    },
    (call) => {
      const found = retrieve(call.view, 'checkout_session', call.id)
      return wireList(pageOfRead(call, found.lines, (view, line) => presentCheckoutLine(view, found, line)))
    },
  )
}
