import type { Sandbox } from '../daemon/sandbox.ts'
import type { Faults, MerchantTwin, NewWebhook, Webhooks } from './api.ts'
import { ask, type Caller, callInProcess } from './calls.ts'
import { controlClock } from './clock-control.ts'
import { historyOf } from './event-history.ts'
import { refuseUnknown, requireText } from './options.ts'
import type { CreatedWebhookEndpoint, Event, EventType, Fault } from './resources.ts'
import type { Delete, Get, Post } from './routed.ts'
import type { WebhookInbox } from './webhook-inbox.ts'

/** The parts that the twins of all merchants share. */
export type Shared = {
  readonly sandbox: Sandbox
  readonly inbox: WebhookInbox
  /** The client of the admin API. */
  readonly admin: Caller
}

/** Creates the twin of a merchant. */
export function twinOf(
  shared: Shared,
  { id, secretKey }: Pick<MerchantTwin, 'id' | 'secretKey'>,
): MerchantTwin {
  const { sandbox, admin } = shared
  const { engine } = sandbox
  const caller: Caller = { ...admin, secret: secretKey }
  const get = <ResponseBody>(path: string) => ask<ResponseBody>(caller, 'GET', path)
  const post = <ResponseBody>(path: string, body: object = {}) =>
    ask<ResponseBody>(caller, 'POST', path, body)
  const own = isOwn(sandbox, id) ? { get, post } : throughAdmin(admin, id)
  return {
    id,
    secretKey,
    clock: controlClock({ ...own, now: () => stateOf(sandbox, id).clock.now }),
    events: historyOf({ get: own.get, engine }),
    webhooks: webhooksOf(shared, id),
    faults: faultsOf(admin, id),
    fetch: (input, init) => callInProcess(caller, input, init),
    get: get as Get,
    post: post as Post,
    delete: ((path: string, body?: object) => ask(caller, 'DELETE', path, body)) as Delete,
    trigger: async (type: EventType) => {
      const { events } = await ask<{ events: readonly Event[] }>(admin, 'POST', '/_paytwin/trigger', {
        type: requireText('The type of trigger', type),
        merchant: id,
      })
      return events
    },
  }
}

/** Whether the merchant has paytwin's own API. */
const isOwn = (sandbox: Sandbox, id: string): boolean => stateOf(sandbox, id).settings.dialect === 'paytwin'

/** Returns requests to paytwin's own API for a merchant with another dialect, which the operator sends. */
function throughAdmin(admin: Caller, id: string) {
  const base = `/_paytwin/merchants/${id}`
  return {
    get: <ResponseBody>(path: string) => ask<ResponseBody>(admin, 'GET', base + path),
    post: <ResponseBody>(path: string, body: object = {}) =>
      ask<ResponseBody>(admin, 'POST', base + path, body),
  }
}

/** Manages the faults of one merchant, or of all merchants if `merchant` is null. */
export function faultsOf(admin: Caller, merchant: string | null): Faults {
  const list = async () => {
    const { data } = await ask<{ data: readonly Fault[] }>(admin, 'GET', '/_paytwin/faults')
    return merchant === null ? data : data.filter((fault) => fault.merchant === merchant)
  }
  return {
    add: async (kind, options = {}) => {
      refuseUnknown('faults.add', options, { count: true, rate: true, route: true, ms: true })
      return ask(admin, 'POST', '/_paytwin/faults', {
        kind,
        ...options,
        ...(merchant !== null && { merchant }),
      })
    },
    list,
    clear: async () => {
      for (const { id } of await list()) await ask(admin, 'DELETE', `/_paytwin/faults/${id}`)
    },
  }
}

function webhooksOf({ sandbox, inbox, admin }: Shared, merchant: string): Webhooks {
  return {
    get inbox() {
      return inbox.of(merchant)
    },
    create: async (webhook: NewWebhook = {}) => {
      refuseUnknown('webhooks.create', webhook, { events: true, handler: true, url: true })
      const { events, handler, url } = webhook
      if (handler && url !== undefined) throw new TypeError('handler and url cannot be combined')
      return ask<CreatedWebhookEndpoint>(admin, 'POST', '/_paytwin/webhooks', {
        merchant,
        url: url ?? inbox.addressOf(handler ?? accept),
        ...(events && { enabled_events: events }),
      })
    },
    settled: async () => sandbox.engine.outbox.settled(stateOf(sandbox, merchant)),
  }
}

/** Answers webhooks of endpoints without a handler. */
const accept = () => new Response('ok')

/** Finds a merchant. @throws Error if it was deleted */
function stateOf({ engine }: Sandbox, id: string) {
  for (const merchant of engine.merchants.values()) if (merchant.settings.id === id) return merchant
  throw new Error(`Merchant ${id} no longer exists`)
}
