import * as z from 'zod'
import { resourceMissing } from '../../core/errors.ts'
import { findAnyEvent } from '../../engine/history/any-events.ts'
import { currentView } from '../../engine/history/view.ts'
import { merchantOfDelivery } from '../../engine/resources/merchant.ts'
import { deferred } from '../deferred.ts'
import { deliveryBody } from '../delivery-body.ts'
import { pageOf, pageParams } from '../pagination.ts'
import { receivedList, receivedSchema } from '../schemas/inbox-webhook.ts'
import { deliveryWithRequest } from '../schemas/webhook.ts'
import { presentDelivery } from '../webhook-endpoint.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = deferred(() => z.object({ ...pageParams, merchant: z.string().optional() }))

/** Registers the routes for the requests of webhooks: those that the daemon sends, and those that its inbox received. */
export function receivedWebhookRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'webhooks/deliveries/:id',
      summary: 'Retrieves a delivery, with the body of its request.',
      returns: deliveryWithRequest,
      errors: { 404: ['resource_missing'] },
    },
    async ({ services: { engine, versions }, id }) => {
      const merchant = merchantOfDelivery(engine, id)
      if (!merchant) throw resourceMissing('webhook delivery', id)
      const { store, ids, url } = engine
      const view = currentView({ store, ids, url, merchant: merchant.settings })
      const delivery = view.deliveries.get(id)
      const endpoint = delivery && view.get('webhook_endpoint', delivery.endpoint)
      if (!delivery || !endpoint) throw resourceMissing('webhook delivery', id)
      const event = findAnyEvent(engine, merchant, delivery.event)
      return {
        ...presentDelivery(view, delivery),
        event_type: event.entry.type,
        url: endpoint.url,
        request_body: await deliveryBody(versions, merchant, { event, endpoint }),
      }
    },
  )
  add(
    {
      method: 'get',
      path: 'webhooks/received',
      summary: 'Lists the last webhooks that the daemon received itself, newest first.',
      params: listParams,
      returns: receivedList,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    ({ c, services: { engine, inbox }, params }) =>
      pageOf(c.req.path, inbox.list(theMerchant(engine, params.merchant)), params, (received) => received),
  )
  add(
    {
      method: 'get',
      path: 'webhooks/received/:id',
      summary: 'Retrieves a webhook that the daemon received itself.',
      returns: receivedSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ services: { engine, inbox }, id }) => inbox.get(engine.merchants.values(), id),
  )
}
