import * as z from 'zod'
import { matchEventTypes } from '../../core/event.ts'
import type { EventWithObject } from '../../engine/history/view.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { deferred } from '../deferred.ts'
import { type EventForm, presentEvent } from '../event.ts'
import { matchingTypes, typeUnknown } from '../event-types.ts'
import type { EventShape } from '../schemas/event.ts'
import type { HttpServices } from '../services.ts'

/** `own`: as paytwin's own API shows events. `merchant`: as the API of their merchant shows them, with `merchant_id`. */
export const formParam = deferred(() => z.enum(['own', 'merchant']).default('own'))
type Form = z.infer<ReturnType<typeof formParam>>

let stripe: typeof import('../stripe/event.ts') | undefined

/** Loads how Stripe's API shows events. Until then, streams show the events of its merchants in paytwin's own form. */
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
): Promise<EventForm> {
  const own = (event: EventWithObject) => presentEvent(versions, event)
  if (form === 'own') return { present: own, matching: matchingTypes }
  if (![...engine.merchants.values()].some(isOfStripe)) return { present: shown, matching: matchingTypes }
  await loadStripeEvents()
  return { present: shown, matching: await matchingIn(engine, merchant) }

  function shown(event: EventWithObject): EventShape {
    const { merchant: settings } = event.view
    if (!stripe || !isOfStripe({ settings })) return own(event)
    // Its readers know that the object and the name are those of another API.
    return { ...stripe.presentStripeEvent(event), merchant_id: settings.id } as unknown as EventShape
  }
}

/** Matches Stripe's names, and paytwin's own if events of other merchants are shown too. */
async function matchingIn(engine: Engine, merchant: MerchantState | null): Promise<EventForm['matching']> {
  const { matchStripeNames } = await import('../stripe/event-names.ts')
  const isOnlyStripe = (merchant ? [merchant] : [...engine.merchants.values()]).every(isOfStripe)
  return (pattern, param) => {
    const named = matchStripeNames(pattern)
    const found = isOnlyStripe && named.length > 0 ? named : [...named, ...matchEventTypes(pattern)]
    if (found.length === 0) throw typeUnknown(pattern, param)
    return found
  }
}
