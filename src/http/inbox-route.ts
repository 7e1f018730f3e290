import type { Context, Hono } from 'hono'
import { parameterInvalid, resourceMissing } from '../core/errors.ts'
import { requestId } from '../engine/machine/ids.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { INBOX_PATH } from './dashboard/inbox-url.ts'
import { HeldBody, keylessOwnersOf } from './held-body.ts'
import { readTurnOf, refuseClosed, turnToParse } from './read-turn.ts'
import { MAX_BODY_BYTES, readBody } from './request.ts'
import { errorBody, errorHeaders, json, knownError } from './respond.ts'
import type { HttpServices } from './services.ts'

/** The names of this machine in a Host, and its addresses as Node shows them. */
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i
const LOOPBACK_PEER = /^(::1|(::ffff:)?127(\.\d+){3})$/

/**
 * Registers the built-in receiver for webhooks, for applications without one. Its response says whether the signature is valid.
 * See docs/contract/events-and-webhooks.md#inbox.
 */
export function inboxRoute(app: Hono, services: HttpServices): void {
  app.post(`${INBOX_PATH}/:merchant`, async (c) => {
    const id = requestId()
    const headers = { 'Request-Id': id, 'Cache-Control': 'no-store' }
    let sender: object | undefined
    const held = new HeldBody(services, c.env, () => sender)
    try {
      checkSender(c)
      const merchant = merchantOf(services, c.req.param('merchant'))
      sender = keylessOwnersOf(merchant).senders
      const parse = () => turnToParse(services, merchant, c.env)
      const body = await readBody(c, MAX_BODY_BYTES, { add: held.add, turn: parse })
      const turn = readTurnOf(services, merchant, c.env, sender)
      if (turn) await turn
      // The secrets of all endpoints are tried.
      const steps = services.inbox.add(merchant, { headers: c.req.header(), body })
      const { reason } = await services.engine.reads.inSteps(merchant, steps, () => refuseClosed(c.env))
      if (reason !== null) throw parameterInvalid(null, reason)
      return json(200, { received: true }, headers)
    } catch (error) {
      const known = knownError(services, error, `POST ${c.req.path}`)
      return json(known.status, errorBody(known, services.url()), { ...headers, ...errorHeaders(known) })
    } finally {
      held.release()
    }
  })
}

/** Accepts only requests from this machine that were not caused by a website. @throws ApiError parameter_invalid */
function checkSender(c: Context): void {
  const host = c.req.header('host') ?? ''
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } }
  const peer = incoming?.socket?.remoteAddress
  if (!LOOPBACK_HOST.test(host) || (peer !== undefined && !LOOPBACK_PEER.test(peer)))
    throw parameterInvalid('Host', 'The inbox for webhooks accepts only requests of its own machine')
  if (c.req.header('origin') !== undefined)
    throw parameterInvalid('Origin', 'The inbox for webhooks accepts no requests of web pages')
}

/** @throws ApiError resource_missing, param merchant */
function merchantOf({ engine }: HttpServices, id: string): MerchantState {
  for (const merchant of engine.merchants.values()) if (merchant.settings.id === id) return merchant
  throw resourceMissing('merchant', id, 'merchant')
}
