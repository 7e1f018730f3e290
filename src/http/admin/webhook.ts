import * as z from 'zod'
import { parameterInvalid, parameterMissing, resourceMissing } from '../../core/errors.ts'
import type { WebhookDelivery } from '../../core/webhook.ts'
import { findAnyEvent, placeOfEvent, typeOfEvent } from '../../engine/history/any-events.ts'
import { type CurrentView, currentView } from '../../engine/history/view.ts'
import type { Sender } from '../../engine/machine/command-queue.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import type { UnitOfWork } from '../../engine/machine/unit.ts'
import { merchantOfDelivery, merchantOfObject } from '../../engine/resources/merchant.ts'
import { missingToRetry, retryAllOf, retryNow } from '../../engine/resources/webhook-delivery.ts'
import { createEndpoint, deleteEndpoint } from '../../engine/resources/webhook-endpoint.ts'
import { resend, resendFailed } from '../../engine/resources/webhook-post.ts'
import { deferred } from '../deferred.ts'
import { equals, isOneOf, list, listDeliveries, listObjects, pageParams } from '../pagination.ts'
import { deletedStub } from '../resource.ts'
import {
  createdEndpointSchema,
  type DeliveryShape,
  deletedEndpoint,
  deliveryList,
  deliveryWithTypeList,
  endpointList,
} from '../schemas/webhook.ts'
import {
  checkEndpoint,
  createEndpointParams,
  presentCreatedEndpoint,
  presentDelivery,
  presentEndpoint,
  resendParams,
} from '../webhook-endpoint.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

/** The maximum number of retried deliveries in a response. */
const MAX_SHOWN = 100
/** The maximum number of events whose deliveries are listed together. */
const MAX_EVENTS = 100
const merchantField = { merchant: z.string().optional() }
const createParams = deferred(() =>
  createEndpointParams().extend({
    ...merchantField,
    enabled_events: createEndpointParams().shape.enabled_events.default(['*']),
  }),
)
const listParams = deferred(() => z.object({ ...merchantField, ...pageParams }))
const deliveriesParams = deferred(() =>
  z.object({ ...merchantField, ...pageParams, events: z.array(z.string()).min(1).max(MAX_EVENTS) }),
)
const retryParams = deferred(() =>
  z.object({ ...merchantField, id: z.string().optional(), all: z.boolean().optional() }),
)

/** Registers the routes for webhook endpoints of all merchants. */
export function webhookAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'webhooks',
      summary: 'Creates a webhook endpoint for future events. Its secret is shown only in this response.',
      params: createParams,
      status: 201,
      returns: createdEndpointSchema,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    async ({ services, sender, params: { merchant: named, ...params } }) => {
      checkEndpoint(services, params)
      const merchant = theMerchant(services.engine, named)
      const create = (unit: UnitOfWork) => createEndpoint(unit, params)
      const endpoint = await services.engine.command(merchant, null, create, sender)
      return presentCreatedEndpoint(viewOf(services.engine, merchant), endpoint)
    },
  )
  add(
    {
      method: 'get',
      path: 'webhooks',
      summary: 'Lists the webhook endpoints of a merchant, newest first.',
      params: listParams,
      returns: endpointList,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    ({ c, services, params }) => {
      const view = viewOf(services.engine, theMerchant(services.engine, params.merchant))
      return listObjects(
        { c, services, view, params, version: services.versions.newest },
        'webhook_endpoint',
        [{ field: 'deleted', is: 0 }],
        presentEndpoint,
      )
    },
  )
  add(
    {
      method: 'delete',
      path: 'webhooks/:id',
      summary: 'Deletes a webhook endpoint and discards its pending deliveries.',
      returns: deletedEndpoint,
    },
    async ({ services, sender, id }) => {
      const merchant = ownerOf(services.engine, id)
      await services.engine.command(merchant, null, (unit) => deleteEndpoint(unit, id), sender)
      return deletedStub('webhook_endpoint', id)
    },
  )
  add(
    {
      method: 'get',
      path: 'webhooks/:id/deliveries',
      summary: 'Lists the deliveries of a webhook endpoint, newest first, with their attempts.',
      params: deferred(() => z.object(pageParams)),
      returns: deliveryWithTypeList,
    },
    ({ c, services: { engine }, params, id }) => {
      const merchant = ownerOf(engine, id)
      const view = viewOf(engine, merchant)
      return listDeliveries({ c, view, params }, equals('endpoint', id), withType(engine, merchant, view))
    },
  )
  add(
    {
      method: 'get',
      path: 'webhooks/deliveries',
      summary: 'Lists the deliveries of up to 100 events, newest first, with their attempts.',
      params: deliveriesParams,
      returns: deliveryWithTypeList,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    ({ c, services: { engine }, params }) => {
      const merchant = theMerchant(engine, params.merchant)
      for (const [index, id] of params.events.entries())
        placeOfEvent(engine, merchant, { id, param: `events[${index}]` })
      const view = viewOf(engine, merchant)
      return listDeliveries(
        { c, view, params },
        isOneOf('event', params.events),
        withType(engine, merchant, view),
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'webhooks/retry',
      summary:
        'Retries pending deliveries now: one, those of an endpoint, or all. Lists the newest 100 of them.',
      params: retryParams,
      returns: deliveryList,
      errors: { 400: ['parameter_missing', 'invalid_state_transition'], 404: ['resource_missing'] },
    },
    async ({ c, services: { engine }, sender, params: { id, all, merchant } }) => {
      if (all && id !== undefined) throw parameterInvalid('all', 'Use id or all, not both')
      if (!all && id === undefined) throw parameterMissing('id')
      const retried =
        id === undefined ? await retryAll(engine, merchant, sender) : await retryOne(engine, id, sender)
      const shown = retried.slice(-MAX_SHOWN).reverse()
      return list(c.req.path, shown.map(presentRetried), retried.length > shown.length)
    },
  )
  add(
    {
      method: 'post',
      path: 'webhooks/:id/resend',
      summary:
        'Sends the events of the newest 1,000 failed deliveries of an endpoint again. Lists the newest 100 new deliveries.',
      returns: deliveryList,
      errors: { 400: ['invalid_state_transition'], 404: ['resource_missing'] },
    },
    async ({ c, services: { engine }, sender, id }) => {
      const merchant = ownerOf(engine, id)
      const sent = await engine.command(merchant, null, (unit) => resendFailed(unit, id), sender)
      const view = viewOf(engine, merchant)
      const shown = sent.slice(-MAX_SHOWN).reverse()
      return list(
        c.req.path,
        shown.map((delivery) => presentDelivery(view, delivery)),
        sent.length > shown.length,
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'events/:id/resend',
      summary: 'Sends an event again to the webhook endpoints that match it, or to one endpoint.',
      params: resendParams,
      returns: deliveryList,
      errors: { 400: ['invalid_state_transition'], 404: ['resource_missing'] },
    },
    async ({ c, services, sender, params, id }) => {
      const event = findAnyEvent(services.engine, null, id)
      const merchant = services.engine.merchants.get(event.entry.merchant)
      if (!merchant) throw resourceMissing('event', id)
      const send = (unit: UnitOfWork) => resend(unit, event, params.webhook_endpoint)
      const sent = await services.engine.command(merchant, null, send, sender)
      const view = viewOf(services.engine, merchant)
      return list(
        c.req.path,
        sent.map((delivery) => presentDelivery(view, delivery)),
      )
    },
  )
}

/** A retried delivery. Holds only its id, because there can be very many. */
type Retried = { readonly view: CurrentView; readonly id: string }

function presentRetried({ view, id }: Retried): DeliveryShape {
  const delivery = view.deliveries.get(id)
  if (!delivery) throw resourceMissing('webhook delivery', id)
  return presentDelivery(view, delivery)
}

/** Returns a function that presents a delivery with the type of its event. */
const withType =
  (engine: Engine, merchant: MerchantState, view: CurrentView) => (delivery: WebhookDelivery) => ({
    ...presentDelivery(view, delivery),
    event_type: typeOfEvent(engine, merchant, delivery.event),
  })

/** Retries a delivery, or those of an endpoint. @throws ApiError resource_missing, invalid_state_transition */
async function retryOne(engine: Engine, id: string, sender: Sender): Promise<Retried[]> {
  const merchant = merchantOfDelivery(engine, id) ?? merchantOfObject(engine, 'webhook_endpoint', id)
  if (!merchant) throw missingToRetry(id)
  const view = viewOf(engine, merchant)
  const retried = await engine.command(merchant, null, (unit) => retryNow(unit, id), sender)
  return retried.map((delivery) => ({ view, id: delivery }))
}

/**
 * Retries all pending deliveries, of one merchant or of all. Each endpoint takes a command of its own, so that others are served in
 * between: an endpoint can have very many deliveries.
 * @throws ApiError resource_missing, param merchant
 */
async function retryAll(engine: Engine, named: string | undefined, sender: Sender): Promise<Retried[]> {
  const merchants = named === undefined ? [...engine.merchants.values()] : [theMerchant(engine, named)]
  const retried = await Promise.all(
    merchants.flatMap((merchant) => {
      const view = viewOf(engine, merchant)
      const filters = [{ field: 'deleted', is: 0 }]
      const page = { limit: Number.MAX_SAFE_INTEGER }
      const endpoints = engine.store.objects.ids('webhook_endpoint', merchant.settings.ordinal, filters, page)
      return endpoints.map(async (endpoint) => {
        const ids = await engine.command(merchant, null, (unit) => retryAllOf(unit, endpoint), sender)
        return ids.map((id) => ({ view, id }))
      })
    }),
  )
  return retried.flat()
}

const viewOf = ({ store, ids, url }: Engine, { settings }: MerchantState): CurrentView =>
  currentView({ store, ids, url, merchant: settings })

/** Returns the merchant of an endpoint that is not deleted. @throws ApiError resource_missing */
function ownerOf(engine: Engine, id: string): MerchantState {
  const merchant = merchantOfObject(engine, 'webhook_endpoint', id)
  const endpoint = merchant && viewOf(engine, merchant).get('webhook_endpoint', id)
  if (!endpoint || endpoint.deleted) throw resourceMissing('webhook endpoint', id)
  return merchant
}
