import * as z from 'zod'
import { listMail } from '../../client/mail.ts'
import { formatInstant } from '../../core/calendar.ts'
import { MAIL_KINDS } from '../../core/mail-kinds.ts'
import { listDeliveries, withTypes } from '../commands/webhooks-deliveries.ts'
import { noteOfCut } from '../cut-page.ts'
import { wrongUsage } from '../failure.ts'
import { ownEventType } from '../related-events.ts'
import { resolveMerchant } from '../scope.ts'
import { limit, merchant } from './params.ts'
import { eventLine } from './time-tools.ts'
import { type Tool, tool } from './tool.ts'

/** The tools that show and prepare the sandbox. */
export const SCENE_TOOLS: readonly Tool[] = [
  tool({
    name: 'status',
    about:
      'Shows the sandbox: its URL, its version, its merchants with their clocks, and the numbers of objects.',
    params: z.object({}),
    effect: 'reads',
    run: async (client) => {
      const { url, version, data, merchants, counts } = await client.status()
      return {
        ...{ url, version, data: data ?? 'in memory', counts },
        merchants: merchants.map(({ id, name, dialect, clock }) => ({
          ...{ id, name, dialect },
          clock: { mode: clock.mode, time: formatInstant(clock.now) },
        })),
      }
    },
  }),
  tool({
    name: 'list_events',
    about: 'Lists events, newest first: one line each, or complete with the object and what changed.',
    params: z.object({
      types: z
        .array(z.string())
        .optional()
        .describe('Only these types; * stands for any word: ["invoice.*", "subscription.deleted"].'),
      starting_after: z
        .string()
        .optional()
        .describe('The ID of the event after which the list begins, for older ones.'),
      full: z.boolean().optional().describe('true: with the objects, as JSON.'),
      limit: limit(100, 20),
      merchant: merchant(),
    }),
    effect: 'reads',
    run: async (client, { types, full, ...page }) => {
      const events = await client.events({ ...page, types: types?.map(ownEventType) })
      const note = noteOfCut(events, page)
      const { data } = events
      if (full) return note === undefined ? data : { events: data, note }
      return data.length === 0 ? 'No events.' : [...data.map(eventLine), ...(note ? [note] : [])].join('\n')
    },
  }),
  tool({
    name: 'list_requests',
    about:
      'Lists the latest requests of the application to the sandbox: status, error code, ignored parameters; newest first, to debug what it sent. ' +
      'get_object with the ID of a request shows its parameters and its response.',
    params: z.object({
      object: z
        .string()
        .optional()
        .describe('Only requests that name the object with this ID, or have changed it.'),
      ignored_params: z.boolean().optional().describe('true: only requests with ignored parameters.'),
      limit: limit(100, 10),
      merchant: merchant(),
    }),
    effect: 'reads',
    run: async (client, query) => (await client.requests(query)).data,
  }),
  tool({
    name: 'list_deliveries',
    about:
      'Lists the webhooks that were sent to the application, newest first: event, attempts, status and body of each response. ' +
      'Use this when a webhook handler did not do what it should.',
    params: z.object({
      endpoint: z.string().optional().describe('Only those of this webhook endpoint (we_…); all by default.'),
      limit: limit(100, 10),
      merchant: merchant(),
    }),
    effect: 'reads',
    run: async (client, { endpoint, limit: most, merchant: named }) => {
      const owner = endpoint
        ? undefined
        : await resolveMerchant(client, named, 'name one with the parameter merchant')
      const { data } = await listDeliveries(
        client,
        { limit: most, ...(owner && { merchant: owner }) },
        endpoint,
      )
      return data.length === 0
        ? 'No deliveries. call_api POST /v1/webhook_endpoints creates an endpoint.'
        : withTypes(client, data)
    },
  }),
  tool({
    name: 'list_mail',
    about: 'Lists the mail for customers with its text, newest first. paytwin sends none of it.',
    params: z.object({
      to: z.string().optional().describe('Only to this email address.'),
      kind: z.enum(MAIL_KINDS).optional().describe('Only of this kind.'),
      limit: limit(100, 10),
      merchant: merchant(),
    }),
    effect: 'reads',
    run: async (client, query) => (await listMail(client.address, query)).data,
  }),
  tool({
    name: 'trigger',
    about:
      'Creates objects so that an event of a type occurs, such as invoice.payment_failed, and lists all emitted events. If it occurs only later, the result has the time to advance to.',
    params: z.object({
      type: z.string().describe('The event type, such as charge.refunded.'),
      merchant: merchant(),
    }),
    effect: 'writes',
    run: async (client, { type, merchant: named }) => {
      const owner = await resolveMerchant(client, named, 'name one with the parameter merchant')
      const { events, due } = await client.trigger({ type, merchant: owner })
      return {
        events: events.map(eventLine),
        ...(due !== null && { note: `${type} is not due yet: advance to ${formatInstant(due)}.` }),
      }
    },
  }),
  tool({
    name: 'add_fault',
    about:
      'Injects a fault: declined charges, a processor that times out, errors, lost responses, delays, failing webhooks. It stays until it is cleared.',
    params: z.object({
      kind: z
        .enum([
          'decline',
          'processor_timeout',
          'key_resolution_unavailable',
          'internal_error',
          'response_lost',
          'rate_limit',
          'latency',
          'webhook_failure',
        ])
        .describe(
          'decline and processor_timeout affect charges, webhook_failure webhooks, the others requests.',
        ),
      count: z.int().min(1).optional().describe('How many times it applies; unlimited by default.'),
      rate: z.number().min(0).max(1).optional().describe('The probability that it applies, 0 to 1.'),
      route: z.string().optional().describe("Only for these requests: 'POST /v1/customers', '/v1/prices*'."),
      ms: z.int().optional().describe('The delay of a latency fault in milliseconds.'),
      merchant: merchant(),
    }),
    effect: 'writes',
    run: (client, fault) => client.addFault(fault),
  }),
  tool({
    name: 'list_faults',
    about: 'Lists the active faults.',
    params: z.object({}),
    effect: 'reads',
    run: async (client) => (await client.faults()).data,
  }),
  tool({
    name: 'clear_faults',
    about: 'Removes a fault, or all faults.',
    params: z.object({ id: z.string().optional().describe('The fault (fault_1); all faults by default.') }),
    effect: 'writes',
    run: async (client, { id }) => {
      if (id === undefined) await client.clearFaults()
      else await client.clearFault(id)
      return id === undefined ? 'Cleared all faults.' : `Cleared ${id}.`
    },
  }),
  tool({
    name: 'snapshots',
    about:
      'Saves, restores, lists or deletes snapshots of the whole sandbox. Save one before an experiment, and restore it to try again. Restoring replaces all data.',
    params: z.object({
      action: z.enum(['save', 'restore', 'list', 'delete']),
      name: z.string().optional().describe('The name of the snapshot; not for list.'),
    }),
    effect: 'removes',
    run: async (client, { action, name }) => {
      if (action === 'list') return (await client.snapshots()).data
      if (name === undefined) throw wrongUsage(`Give the name of the snapshot to ${action}.`)
      if (action === 'save') return client.saveSnapshot(name)
      return action === 'restore' ? client.restoreSnapshot(name) : client.deleteSnapshot(name)
    },
  }),
  tool({
    name: 'reset',
    about:
      'Deletes all data: merchants, objects, events. Keys of the first merchant stay valid. Snapshots stay.',
    params: z.object({ confirm: z.literal(true).describe('true, because nothing can be undone.') }),
    effect: 'removes',
    run: async (client) => {
      const { merchants } = await client.reset()
      return `All data is deleted. Merchants: ${merchants.map(({ id }) => id).join(', ')}.`
    },
  }),
  tool({
    name: 'list_keys',
    about: 'Lists the API keys without their secrets, which are not stored.',
    params: z.object({}),
    effect: 'reads',
    run: async (client) => (await client.keys()).data,
  }),
  tool({
    name: 'create_key',
    about: 'Creates an API key for the application. The result is the only place where its secret is shown.',
    params: z.object({
      name: z.string().optional().describe('A name for people.'),
      publishable: z.boolean().optional().describe('true: a key for browsers.'),
      merchant: merchant(),
    }),
    effect: 'writes',
    run: async (client, { merchant: named, ...given }) =>
      client.createKey({
        ...given,
        merchant: await resolveMerchant(client, named, 'name one with the parameter merchant'),
      }),
  }),
]
