/** @jsxImportSource hono/jsx */
import { hash } from 'node:crypto'
import { parameterInvalid } from '../../../../core/errors.ts'
import { type Plan, whyNotUpdatable } from '../../../../core/portal-permissions.ts'
import type { FlowDiscount } from '../../../../core/portal-session.ts'
import type { Subscription } from '../../../../core/subscription.ts'
import {
  changePlanInPortal,
  type PlanChange,
  type PlanPreview,
  previewPlanInPortal,
} from '../../../../engine/resources/portal-plan-change.ts'
import { findPlan, offersFor } from '../../../../engine/resources/portal-plans.ts'
import { pricesOf } from '../../../../engine/resources/portal-session.ts'
import type { DiscountParam } from '../../../../engine/resources/redemption.ts'
import { hasCardNumber } from '../card-entry.ts'
import { Field } from '../field.tsx'
import { Token } from '../form-token.tsx'
import { unitText } from '../price-text.ts'
import { stepPage } from './parts.tsx'
import { authenticatePlan, unauthenticatedPayment } from './plan-payment.ts'
import { PlanPreviewRows } from './plan-preview.tsx'
import {
  checkToken,
  finish,
  type Portal,
  type PortalRequest,
  Refusal,
  refusalOf,
  subscriptionOf,
  subscriptionState,
  tokenOf,
} from './portal.ts'
import { planName } from './texts.ts'

/** @throws ApiError parameter_invalid if the portal cannot change the plan of the subscription */
function updatable(portal: Portal, subscription: Subscription): Subscription {
  const prices = pricesOf(portal.unit, subscription)
  const why = whyNotUpdatable(subscription, prices, portal.configuration.features)
  if (why !== null) throw parameterInvalid(null, why)
  return subscription
}

const settingsOf = ({ configuration }: Portal) => configuration.features.subscription_update

type Shows = (portal: Portal, subscription: Subscription, request: PortalRequest) => Response

/** Makes a page of a subscription that can be updated. While its change waits for an authentication, it leads there instead. */
const planPage =
  (show: Shows) =>
  (portal: Portal, request: PortalRequest): Response => {
    const found = subscriptionOf(portal, request.id)
    const payment = unauthenticatedPayment(portal, found)
    return payment === undefined
      ? show(portal, updatable(portal, found), request)
      : authenticatePlan(portal, found, payment)
  }

/** Shows the plans that the customer can choose. The form only asks for the preview. */
export const choosePage = planPage((portal, subscription, { id, given, alert }) => {
  const [item] = subscription.items
  const settings = settingsOf(portal)
  const offers = offersFor(portal.view, subscription, settings)
  const chosen = given.get('price') ?? item?.price
  const range = offers.find(({ quantities }) => quantities)?.quantities
  return stepPage(portal, {
    title: 'Update plan',
    alert,
    content: (
      <form method="get" action={`${portal.path}/subscriptions/${id}/confirm`}>
        <fieldset class="field">
          <legend>Plan</legend>
          {offers.map(({ price, product }) => (
            <label class="check">
              <input type="radio" name="price" value={price.id} checked={price.id === chosen} />
              <span>
                {planName(price, product)}, {unitText(price)}
                {price.id === item?.price ? <span class="faint"> (current)</span> : null}
              </span>
            </label>
          ))}
        </fieldset>
        {range ? (
          <Field
            name="quantity"
            label="Quantity"
            type="number"
            min={range.minimum}
            max={range.maximum ?? undefined}
            value={shownAgain(given, 'quantity') || String(item?.quantity ?? 1)}
          />
        ) : null}
        {settings.default_allowed_updates.includes('promotion_code') ? (
          <Field
            name="promotion_code"
            label="Promotion code"
            value={shownAgain(given, 'promotion_code') ?? ''}
            maxlength={200}
          />
        ) : null}
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    ),
  })
})

/** Returns an entry to show it again: null for none, and empty if it could contain a card number. */
function shownAgain(given: URLSearchParams, name: string): string | null {
  const text = given.get(name)
  return text !== null && hasCardNumber(text) ? '' : text
}

/** The new plan that the customer or the flow chose. */
type Choice = { readonly plan: Plan; readonly code: string; readonly discounts: PlanChange['discounts'] }

/** @throws ApiError parameter_invalid for a choice that the portal does not offer */
function choiceOf(portal: Portal, subscription: Subscription, given: URLSearchParams): Choice {
  const { step, view, unit } = portal
  const settings = settingsOf(portal)
  const isConfirm = step?.type === 'subscription_update_confirm'
  const wanted = isConfirm
    ? step.item
    : { price: shownAgain(given, 'price'), quantity: quantityIn(given.get('quantity')) }
  const { plan, whyNot } = findPlan(view, subscription, settings, wanted)
  if (whyNot) throw parameterInvalid(whyNot.field, whyNot.message)
  if (isConfirm) return { plan, code: '', discounts: step.discounts?.map(asParam) }
  const code = (given.get('promotion_code') ?? '').trim()
  if (code === '') return { plan, code, discounts: undefined }
  if (!settings.default_allowed_updates.includes('promotion_code'))
    throw parameterInvalid('promotion_code', 'The portal does not offer promotion codes')
  const [found] = unit.store.objects.list(
    'promotion_code',
    unit.owner,
    [
      { field: 'code_key', is: code.toLowerCase() },
      { field: 'active', is: 1 },
    ],
    { limit: 1 },
  )
  if (!found) throw parameterInvalid('promotion_code', 'This promotion code is not valid.')
  const kept = subscription.discounts.map((discount): DiscountParam => ({ discount }))
  return { plan, code, discounts: [...kept, { promotion_code: found.id }] }
}

const asParam = ({ coupon, promotion_code }: FlowDiscount): DiscountParam =>
  promotion_code === null ? { coupon: coupon ?? undefined } : { promotion_code }

/** Returns a quantity; null for none. @throws ApiError parameter_invalid */
function quantityIn(text: string | null): number | null {
  if (text === null || text.trim() === '') return null
  if (/^\s*\d{1,6}\s*$/.test(text)) return Number(text)
  throw parameterInvalid('quantity', 'The quantity must be a whole number.')
}

/** The form that confirms a change: what is chosen, and a hash of what the page shows of it. */
type Confirmation = Readonly<Record<(typeof CONFIRMED)[number], string>>
const CONFIRMED = ['price', 'quantity', 'promotion_code', 'proration_date', 'shown'] as const

const confirmState = (subscription: Subscription, confirmed: Confirmation) =>
  ['confirm', subscriptionState(subscription), ...CONFIRMED.map((name) => confirmed[name])] as const

/**
 * Returns a hash of what a page shows of a change: when it takes effect, its discounts, and all amounts. An amount due of zero says
 * nothing about the credit that is used. The date of the next invoice is left out: with `billing_cycle_anchor: now` it moves with a
 * live clock.
 */
function shownOf({ now, next, takesEffectAt }: PlanPreview, { discounts }: PlanChange): string {
  const amounts = [now, next].map(
    (invoice) => invoice && [invoice.total, invoice.amount_due, invoice.lines.map(({ amount }) => amount)],
  )
  return hash('sha256', JSON.stringify([takesEffectAt, discounts, amounts]))
}

const CHANGED =
  'The change is no longer what the page showed, and nothing was charged. Check it before you confirm.'

/** Shows the cost of a change. A choice that is not offered leads back to the plans. */
export const confirmPage = planPage((portal, subscription, { id, given, alert }) => {
  const choice = tried(() => choiceOf(portal, subscription, given))
  if ('message' in choice) return refused(portal, { id, given, alert: choice.message })
  const { plan, code } = choice
  const proration_date = portal.unit.clockOf(subscription.test_clock).instant
  const change: PlanChange = { plan, discounts: choice.discounts, proration_date }
  const preview = tried(() => previewPlanInPortal(portal.unit, subscription, settingsOf(portal), change))
  if ('message' in preview) return refused(portal, { id, given, alert: preview.message })
  const confirmed: Confirmation = {
    price: plan.price.id,
    quantity: String(plan.quantity),
    promotion_code: code,
    proration_date: String(proration_date),
    shown: shownOf(preview, change),
  }
  return stepPage(portal, {
    title: 'Confirm the update',
    alert,
    content: (
      <>
        <PlanPreviewRows portal={portal} subscription={subscription} plan={plan} preview={preview} />
        <form method="post" action={`${portal.path}/subscriptions/${id}/confirm`}>
          <Token value={tokenOf(portal, confirmState(subscription, confirmed))} />
          {CONFIRMED.map((name) => (
            <input type="hidden" name={name} value={confirmed[name]} />
          ))}
          <button type="submit" class="primary">
            Confirm
          </button>
        </form>
        {portal.step?.type === 'subscription_update_confirm' ? null : (
          <p>
            <a href={`${portal.path}/subscriptions/${id}/update`}>Choose another plan</a>
          </p>
        )}
      </>
    ),
  })
})

/** Shows why a choice is refused: above the plans, unless the flow allows only this choice. */
const refused = (portal: Portal, request: PortalRequest): Response =>
  portal.step?.type === 'subscription_update_confirm'
    ? stepPage(portal, { title: 'Confirm the update', alert: request.alert, content: null })
    : choosePage(portal, request)

/** Runs a function, and returns the message if the customer's choice is refused. */
function tried<T extends object>(run: () => T): T | { readonly message: string } {
  try {
    return run()
  } catch (error) {
    const message = refusalOf(error)
    if (message === undefined) throw error
    return { message }
  }
}

/** Whether the change waits for the end of the period. */
const isPlanned = ({ unit }: Portal, id: string): boolean => unit.need('subscription', id).schedule !== null

/**
 * Changes the plan as it was previewed. A payment that needs an authentication leads to its page.
 * @throws Refusal when it is no longer what the page showed, for example because of a new pending item
 */
export function submitConfirm(portal: Portal, { id, given }: PortalRequest): Response {
  const subscription = subscriptionOf(portal, id)
  const entries = CONFIRMED.map((name) => [name, given.get(name) ?? ''])
  const confirmed: Confirmation = Object.fromEntries(entries)
  checkToken(portal, given, confirmState(subscription, confirmed))
  const { plan, discounts } = choiceOf(portal, updatable(portal, subscription), given)
  const { unit } = portal
  const settings = settingsOf(portal)
  // With the page's proration date the change costs the same, although a live clock has moved on.
  const change: PlanChange = { plan, discounts, proration_date: Number(confirmed.proration_date) }
  const preview = previewPlanInPortal(unit, subscription, settings, change)
  if (shownOf(preview, change) !== confirmed.shown) throw new Refusal(CHANGED)
  const waiting = changePlanInPortal(unit, subscription, settings, change)
  return waiting === null
    ? finish(portal, isPlanned(portal, id) ? 'updated_later' : 'updated')
    : authenticatePlan(portal, subscription, waiting.id)
}
