import { checkoutFactsOf, recoverableUntil } from '../../core/checkout-session.ts'
import { resourceMissing } from '../../core/errors.ts'
import { merchantOfObject } from '../../engine/resources/merchant.ts'
import { checkoutUrl } from '../checkout-session.ts'
import { turnToRead } from '../read-turn.ts'
import { checkoutPageSchema } from '../schemas/checkout.ts'
import type { AddRoute } from './services.ts'

/** Registers the route for the pages of Checkout sessions. See docs/contract/checkout-sessions.md. */
export function checkoutAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'checkout/sessions/:id',
      summary: 'Retrieves the page of a Checkout session of any merchant.',
      returns: checkoutPageSchema,
      errors: { 404: ['resource_missing'] },
    },
    async ({ c, services, id }) => {
      const { engine } = services
      const merchant = merchantOfObject(engine, 'checkout_session', id)
      if (!merchant) throw resourceMissing('checkout session', id)
      await turnToRead(services, merchant, c.env)
      const { ordinal, id: merchant_id } = merchant.settings
      const session = engine.store.objects.get('checkout_session', ordinal, id)
      if (!session) throw resourceMissing('checkout session', id)
      const clock =
        session.test_clock === null ? merchant.clock : merchant.testClocks.named(session.test_clock)
      const isShown = checkoutFactsOf(session).isOpen || clock.now < (recoverableUntil(session) ?? 0)
      return {
        object: 'checkout_page' as const,
        session: id,
        status: session.status,
        url: isShown ? checkoutUrl(engine, id) : null,
        expires_at: session.expires_at,
        livemode: false,
        merchant_id,
      }
    },
  )
}
