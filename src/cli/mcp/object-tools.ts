import * as z from 'zod'
import type { Client } from '../../client/client.ts'
import { Refused } from '../../client/errors.ts'
import { explanationOf } from '../../client/explanation.ts'
import { MerchantApi } from '../../client/merchant-api.ts'
import type { CustomerTimeline, InvoiceTimeline, SubscriptionTimeline } from '../../client/types.ts'
import { type Kind, kindOfId } from '../../core/kinds.ts'
import { toJson } from '../../text/display.ts'
import { textOf } from '../../text/span.ts'
import { drawTimeline, namerOf } from '../../timeline/drawing.ts'
import { belowV1 } from '../below-v1.ts'
import { wrongUsage } from '../failure.ts'
import { missingNoun } from '../hints.ts'
import { resolveMerchant } from '../scope.ts'
import { timeOf } from '../time.ts'
import { at, limit, merchant } from './params.ts'
import { type Tool, tool } from './tool.ts'

/** The lists of /v1, by the kind of object. */
const LISTS = {
  customer: 'customers',
  product: 'products',
  price: 'prices',
  payment_method: 'payment_methods',
  subscription: 'subscriptions',
  subscription_schedule: 'subscription_schedules',
  invoice: 'invoices',
  invoice_item: 'invoiceitems',
  credit_note: 'credit_notes',
  payment_intent: 'payment_intents',
  charge: 'charges',
  refund: 'refunds',
  dispute: 'disputes',
  coupon: 'coupons',
  promotion_code: 'promotion_codes',
} as const satisfies { readonly [K in Kind]?: string }

const TYPES = Object.keys(LISTS) as (keyof typeof LISTS)[]

const TIMELINE_WIDTH = 120

/** The tools that show objects, and call the API as a merchant. */
export const OBJECT_TOOLS: readonly Tool[] = [
  tool({
    name: 'why',
    about:
      'Explains in sentences why an object is in its status (which payment, which attempt, which request, which rule) and what will happen to it when. ' +
      'Use this first when a status surprises. Works for subscriptions, invoices, payment intents, setup intents, schedules, disputes and Checkout sessions.',
    params: z.object({
      id: z
        .string()
        .describe(
          'The ID: sub_…, in_…, pi_…, seti_…, sub_sched_…, du_… or cs_test_…, or its name in fixtures.',
        ),
      at: at(),
    }),
    effect: 'reads',
    run: async (client, { id, at: time }) => {
      const { sentences } = await explanationOf(client.address, id, timeIn(time))
      return sentences
        .map(
          ({ part, text, object, url }) =>
            `${part}: ${text}${object === null ? '' : ` (${object})`}\n  ${url}`,
        )
        .join('\n')
    },
  }),
  tool({
    name: 'timeline',
    about:
      'Draws the timeline of a subscription, invoice or customer as text: what happened, now, the jobs that are due, and projected renewals with amounts.',
    params: z.object({ id: z.string().describe('The ID: sub_…, in_… or cus_…'), at: at() }),
    effect: 'reads',
    run: async (client, { id, at: time }) => drawn(await timelineOf(client, id, timeIn(time))),
  }),
  tool({
    name: 'get_object',
    about:
      'Shows an object of any merchant as JSON, in the form of the API. ' +
      'Also shows an event (evt_…), and a request to the API with its parameters and its response (req_…).',
    params: z.object({
      id: z.string().describe('The ID, such as sub_…, in_…, cus_…, pi_…, ch_…, evt_… or req_…'),
    }),
    effect: 'reads',
    run: async (client, { id }) => {
      if (id.startsWith('evt_')) return client.event(id)
      return id.startsWith('req_') ? client.request(id) : objectOf(client, id)
    },
  }),
  tool({
    name: 'list_objects',
    about:
      'Lists objects of one type of a merchant, newest first, as JSON. Canceled subscriptions are listed only with filters {"status": "all"}.',
    params: z.object({
      type: z.enum(TYPES).describe('The type of the objects.'),
      filters: z
        .record(z.string(), z.string())
        .optional()
        .describe('Filters of the list, such as {"customer": "cus_…", "status": "past_due"}.'),
      limit: limit(100, 10),
      merchant: merchant(),
    }),
    effect: 'reads',
    run: async (client, { type, filters = {}, limit: most, merchant: named }) =>
      new MerchantApi(client.address, await resolved(client, named)).list(LISTS[type], {
        ...filters,
        limit: most,
      }),
  }),
  tool({
    name: 'call_api',
    about:
      'Sends a request to the API of the sandbox as a merchant, without a key: create customers and subscriptions, change, pay, cancel and so on. ' +
      'The response has the form of the native API, not of the API of Stripe. /openapi.json and /docs of the daemon describe the routes.',
    params: z.object({
      method: z.enum(['GET', 'POST', 'DELETE']),
      path: z.string().describe('The path, such as /v1/subscriptions/sub_…'),
      params: z
        .record(z.string(), z.string())
        .optional()
        .describe('Parameters as in a form: {"items[0][price]": "price_…", "cancel_at_period_end": "true"}.'),
      merchant: merchant(),
    }),
    effect: 'writes',
    run: async (client, { method, path, params = {}, merchant: named }) => {
      const api = new MerchantApi(client.address, await resolved(client, named))
      const request = { method, path: belowV1(path), params: new URLSearchParams(params) }
      const { body, ignored } = await api.exchange<object>(request)
      return ignored.length === 0
        ? body
        : `${toJson(body, 2)}\n\nnote: unknown parameters were ignored: ${ignored.join(', ')}`
    },
  }),
]

const resolved = (client: Client, named: string | undefined): Promise<string> =>
  resolveMerchant(client, named, 'name one with the parameter merchant')

const timeIn = (time: string | undefined) => ({
  at: time === undefined ? undefined : String(timeOf('at', time)),
})

type Shown = SubscriptionTimeline | InvoiceTimeline | CustomerTimeline

function timelineOf(client: Client, id: string, query: { at: string | undefined }): Promise<Shown> {
  const kind = kindOfId(id)
  if (kind === 'subscription') return client.subscription(id, query)
  if (kind === 'invoice') return client.invoice(id, query)
  if (kind === 'customer') return client.customer(id, query)
  throw wrongUsage(
    `'${id}' has no timeline: give the ID of a subscription (sub_…), invoice (in_…) or customer (cus_…).`,
  )
}

function drawn({ object, id, related, timeline }: Shown): string {
  const name = object === 'customer' ? namerOf(related) : () => ''
  const lines = drawTimeline({ timeline, name, ofInvoice: object === 'invoice', all: false }, TIMELINE_WIDTH)
  return [`${object} ${id}`, ...lines.map((line) => line.map(textOf).join(''))].join('\n')
}

/** Finds an object among those of all merchants. */
async function objectOf(client: Client, id: string): Promise<object> {
  const kind = kindOfId(id)
  const list = kind !== undefined && kind in LISTS ? LISTS[kind as keyof typeof LISTS] : undefined
  if (list === undefined)
    throw wrongUsage(
      `'${id}' is not the ID of an event, of a request, or of an object of these types: ${TYPES.join(', ')}. Use call_api for others.`,
    )
  const { data } = await client.merchants()
  let missing: unknown
  for (const owner of data) {
    try {
      return await new MerchantApi(client.address, owner.id).send<object>({
        method: 'GET',
        path: `${list}/${encodeURIComponent(id)}`,
      })
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error
      missing = error
    }
  }
  throw missing ?? wrongUsage('There is no merchant.')
}

/** The tools that list things other than objects of /v1, by the word for such a thing in errors. */
const OTHER_LISTS: Readonly<Record<string, string>> = {
  event: 'list_events',
  fault: 'list_faults',
  key: 'list_keys',
  mail: 'list_mail',
  merchant: 'status',
  request: 'list_requests',
  snapshot: 'snapshots {"action": "list"}',
}

/** Returns the tool that lists the valid IDs, for an error about an unknown ID; undefined for other errors. */
export function listToolFor(message: string): string | undefined {
  const noun = missingNoun(message)
  if (noun === undefined) return undefined
  const type = TYPES.find((each) => each === noun.replaceAll(' ', '_'))
  if (type === undefined) return OTHER_LISTS[noun]
  const all = type === 'subscription' ? ', "filters": {"status": "all"}' : ''
  return `list_objects {"type": "${type}"${all}}`
}
