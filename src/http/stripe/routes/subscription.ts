import type Stripe from 'stripe'
import * as z from 'zod'
import { ApiError, invalidStateTransition, parameterInvalid } from '../../../core/errors.ts'
import type { Subscription } from '../../../core/subscription.ts'
import { factsOf, isInTrial } from '../../../core/subscription-status.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import { addInvoiceItems } from '../../../engine/resources/added-items.ts'
import { cancelSubscription, createSubscription } from '../../../engine/resources/subscription.ts'
import { resumeSubscription, updateSubscription } from '../../../engine/resources/subscription-update.ts'
import { deferred } from '../../deferred.ts'
import { discountsOf, withDiscountsOf } from '../../discount-params.ts'
import { createdFilters, equals, pageParams } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import { asUpdate, notCanceledOf, subscriptionFilters } from '../../subscription-params.ts'
import type { StripeApi } from '../api.ts'
import { checkTaxLocation, taxOf } from '../automatic-tax.ts'
import { presentSubscription } from '../present/subscription.ts'
import { listKind, returning, returningList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import { trialDaysOf } from '../trial-params.ts'
import type { Wire } from '../wire.ts'
import { declinedInvoice } from './invoice.ts'
import {
  cancellationIn,
  cancelParams,
  createParams,
  itemsOf,
  listParams,
  paymentSettingsOf,
  savesMethod,
  updateParams,
} from './subscription-params.ts'

const subscription = returning<Wire<Stripe.Subscription>>('subscription')
const subscriptions = returningList<Wire<Stripe.Subscription>>('subscription')

export function subscriptionRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/subscriptions',
      summary: 'Creates a subscription, and collects the first payment as payment_behavior says.',
      params: createParams,
      returns: subscription,
    },
    ({ unit, view, params }) => {
      const { payment_settings, trial_settings, automatic_tax, ...rest } = params
      const { billing_mode: _mode, invoice_settings: _invoices, trial_from_plan: _plan, ...given } = rest
      const trial_period_days = trialDaysOf(unit, params)
      checkPayable(unit, { ...params, trial_period_days })
      checkTaxLocation(unit, params)
      const made = createSubscription(unit, {
        ...given,
        trial_period_days,
        discounts: discountsOf(given.discounts),
        items: given.items.map(withDiscountsOf),
        currency: params.currency ?? currencyOf(unit, params),
        missing_payment_method: trial_settings?.end_behavior.missing_payment_method ?? 'create_invoice',
        saves_payment_method: savesMethod(payment_settings),
        payment_settings: { ...paymentSettingsOf(payment_settings), ...taxOf(automatic_tax) },
        proration_behavior: params.proration_behavior === 'none' ? 'none' : 'create_prorations',
      })
      return presentSubscription(view, made)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/subscriptions',
      summary: 'Lists subscriptions. Canceled ones are listed only with the parameter status.',
      params: listParams,
      returns: subscriptions,
    },
    (call) => {
      const { current_period_start, current_period_end, test_clock } = call.params
      const filters = [
        ...subscriptionFilters(call.params),
        ...createdFilters(current_period_start, 'current_period_start'),
        ...createdFilters(current_period_end, 'current_period_end'),
        ...equals('test_clock', test_clock),
      ]
      return listKind(call, 'subscription', filters, presentSubscription)
    },
  )
  searchRoute(api, { kind: 'subscription', path: '/v1/subscriptions', present: presentSubscription })
  api.read(
    {
      method: 'get',
      path: '/v1/subscriptions/:id',
      summary: 'Retrieves a subscription.',
      returns: subscription,
    },
    ({ view, id }) => presentSubscription(view, retrieve(view, 'subscription', id)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id/subscriptions',
      summary: 'Lists the subscriptions of a customer that are not canceled.',
      params: deferred(() => z.object(pageParams)),
      returns: subscriptions,
    },
    (call) => {
      const { id } = retrieve(call.view, 'customer', call.id)
      return listKind(call, 'subscription', notCanceledOf(id), presentSubscription)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/subscriptions/:id',
      summary: 'Updates a subscription. New prices and quantities are prorated by default.',
      params: updateParams,
      returns: subscription,
    },
    ({ unit, view, params, id }) => {
      const { payment_settings, trial_settings, cancellation_details, add_invoice_items, ...rest } = params
      const { automatic_tax, invoice_settings: _invoices, trial_from_plan: _plan, ...known } = rest
      const { payment_behavior, price: _price, quantity: _quantity, ...given } = known
      const found = unit.find('subscription', id)
      const items = itemsOf(found, params)
      checkTaxStays(found, automatic_tax?.enabled)
      const trial_end = trialEndOf(found, given.trial_end)
      if (payment_behavior === 'default_incomplete' && trial_end === 'now')
        throw parameterInvalid(
          'payment_behavior',
          'paytwin does not know default_incomplete at the end of a trial yet',
        )
      const cancellation = cancellationIn(params, found)
      // The items wait for the next invoice, which this update may create.
      addInvoiceItems(unit, found, add_invoice_items ?? [])
      const updated = updateSubscription(unit, id, {
        ...asUpdate({ ...given, ...cancellation, items, trial_end }),
        payment_behavior,
        missing_payment_method: trial_settings?.end_behavior.missing_payment_method,
        saves_payment_method: savesMethod(payment_settings),
        payment_settings: payment_settings && paymentSettingsOf(payment_settings),
        cancellation_feedback: cancellation_details,
      })
      return presentSubscription(view, updated)
    },
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/subscriptions/:id',
      summary: 'Cancels a subscription immediately.',
      params: cancelParams,
      returns: subscription,
    },
    ({ unit, view, params: { cancellation_details, ...settlement }, id }) => {
      const canceled = cancelSubscription(unit, id, {
        ...settlement,
        cancel_at_period_end: false,
        cancellation_feedback: cancellation_details,
      })
      return presentSubscription(view, canceled)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/subscriptions/:id/resume',
      summary: 'Resumes a paused subscription with a new invoice.',
      returns: subscription,
    },
    ({ unit, view, id }) => {
      const found = unit.find('subscription', id)
      if (!factsOf(found).isPaused)
        throw invalidStateTransition(`A subscription whose status is ${found.status} cannot be resumed`, null)
      const { subscription: resumed, declined } = resumeSubscription(unit, id)
      return declined
        ? declinedInvoice(view, declined.invoice, declined.outcome)
        : presentSubscription(view, resumed)
    },
  )
}

/** Returns the end of the trial that an update requests. `now` changes nothing without a trial. */
const trialEndOf = (found: Subscription, given: number | 'now' | undefined): number | 'now' | undefined =>
  given === 'now' && !isInTrial(found) ? undefined : given

/** @throws ApiError parameter_invalid, when an update would switch taxes on or off */
function checkTaxStays({ payment_settings }: Subscription, wanted: boolean | undefined): void {
  const isTaxed = payment_settings?.automatic_tax === true
  if (wanted === undefined || wanted === isTaxed) return
  throw parameterInvalid(
    'automatic_tax[enabled]',
    `paytwin cannot change it after the creation of the subscription yet: it is ${isTaxed}`,
  )
}

type CreateParams = z.infer<ReturnType<typeof createParams>>

/** Returns the currency of the first price. */
function currencyOf(unit: UnitOfWork, { items: [item] }: CreateParams): string {
  return item?.price_data?.currency ?? unit.find('price', item?.price ?? '', 'items[0][price]').currency
}

/**
 * Checks that the first invoice can be charged. With payment_behavior=default_incomplete, the payment method comes later, with
 * the confirmation.
 * @throws ApiError resource_missing
 */
function checkPayable(unit: UnitOfWork, params: CreateParams): void {
  const isTrial = params.trial_period_days !== undefined || typeof params.trial_end === 'number'
  const isLater = params.payment_behavior === 'default_incomplete' || isTrial
  if (isLater || params.collection_method === 'send_invoice') return
  if (params.default_payment_method !== undefined) return
  const customer = unit.find('customer', params.customer, 'customer')
  if (customer.default_payment_method !== null) return
  throw new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: 'resource_missing',
    param: 'default_payment_method',
    message:
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method. For more information, visit https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.',
  })
}
