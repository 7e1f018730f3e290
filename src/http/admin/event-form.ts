import * as z from 'zod'
import { matchEventTypes } from '../../core/event.ts'
import { matchStripeNames } from '../../core/stripe-event-names.ts'
import type { AnyEvent } from '../../engine/history/view.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { deferred } from '../deferred.ts'
import { type EventForm, ownForm } from '../event.ts'
import { typeUnknown } from '../event-types.ts'
import type { OperatorEventShape } from '../schemas/operator-event.ts'
import type { HttpServices } from '../services.ts'

/** `own`: the form of paytwin's own API. `merchant`: the form of the merchant's API, with `merchant_id`. */
export const formParam = deferred(() => z.enum(['own', 'merchant']).default('own'))
type Form = z.infer<ReturnType<typeof formParam>>

let stripe: typeof import('../stripe/event.ts') | undefined

/** Loads the presenter of Stripe's events. Until then, streams show the events of Stripe's merchants in paytwin's own form. */
export async function loadStripeEvents(): Promise<typeof import('../stripe/event.ts')> {
  stripe = await import('../stripe/event.ts')
  return stripe
}

const isOfStripe = ({ settings }: Pick<MerchantState, 'settings'>) => settings.dialect === 'stripe'

/** @param merchant - the merchant of the events; null for all */
export async function eventFormOf(
  { engine, versions }: Pick<HttpServices, 'engine' | 'versions'>,
  form: Form,
  merchant: MerchantState | null,
): Promise<EventForm<OperatorEventShape>> {
  const own = ownForm(versions)
  if (form === 'own') return own
  if (![...engine.merchants.values()].some(isOfStripe)) return { ...own, present: shown }
  await loadStripeEvents()
  return { present: shown, matching: matchingIn(engine, merchant) }

  function shown(event: AnyEvent): OperatorEventShape {
    const { merchant: settings } = event.view
    if (!stripe || !isOfStripe({ settings })) return own.present(event)
    return { ...stripe.presentStripeEvent(event), merchant_id: settings.id }
  }
}

/** Matches Stripe's names, and paytwin's own if events of other merchants are shown too. */
function matchingIn(
  engine: Engine,
  merchant: MerchantState | null,
): EventForm<OperatorEventShape>['matching'] {
  const isOnlyStripe = (merchant ? [merchant] : [...engine.merchants.values()]).every(isOfStripe)
  return (pattern, param) => {
    const named = matchStripeNames(pattern)
    const found = isOnlyStripe && named.length > 0 ? named : [...named, ...matchEventTypes(pattern)]
    if (found.length === 0) throw typeUnknown(pattern, param)
    return found
  }
}
