import * as z from 'zod'
import { parseInstant } from '../../core/calendar.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { type SubjectKind, type Timeline, timelineOf } from '../../engine/history/timeline.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { merchantOfObject } from '../../engine/resources/merchant.ts'
import { presentCustomerOrStub } from '../customer.ts'
import { deferred } from '../deferred.ts'
import { presentInvoice } from '../invoice.ts'
import { turnToRead } from '../read-turn.ts'
import { customerTimeline, invoiceTimeline, subscriptionTimeline } from '../schemas/timeline.ts'
import { presentSubscription } from '../subscription.ts'
import { presentAround } from '../timeline.ts'
import type { AddRoute, AdminCall } from './services.ts'

const MAX_CHANGES = 1_000

const showParams = deferred(() =>
  z.object({
    at: z.union([z.int(), z.string()]).optional(),
    limit: z.int().min(1).max(MAX_CHANGES).default(MAX_CHANGES),
  }),
)
type ShowCall = AdminCall<z.infer<ReturnType<typeof showParams>>>

/** Registers the routes for objects of any merchant with their timelines. */
export function timelineRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'customers/:id',
      summary:
        'Retrieves a customer of any merchant, by id or by its name in fixtures, with its timeline as of now or an earlier time.',
      params: showParams,
      returns: customerTimeline,
    },
    async (call) => {
      const timeline = await recall(call, 'customer')
      const { view, subject } = timeline
      return { ...presentCustomerOrStub(view, subject), ...presentAround(call.c.req.path, timeline) }
    },
  )
  add(
    {
      method: 'get',
      path: 'subscriptions/:id',
      summary:
        'Retrieves a subscription of any merchant, by id or by its name in fixtures, with its timeline as of now or an earlier time.',
      params: showParams,
      returns: subscriptionTimeline,
    },
    async (call) => {
      const timeline = await recall(call, 'subscription')
      const { view, subject } = timeline
      return { ...presentSubscription(view, subject), ...presentAround(call.c.req.path, timeline) }
    },
  )
  add(
    {
      method: 'get',
      path: 'invoices/:id',
      summary: 'Retrieves an invoice of any merchant with its timeline, as of now or an earlier time.',
      params: showParams,
      returns: invoiceTimeline,
    },
    async (call) => {
      const timeline = await recall(call, 'invoice')
      const { view, subject } = timeline
      return { ...presentInvoice(view, subject), ...presentAround(call.c.req.path, timeline) }
    },
  )
}

/** Reads an object with its timeline. @throws ApiError resource_missing; parameter_invalid, param at, for a future or malformed time */
async function recall<K extends SubjectKind>(
  { c, services, params, id: given }: ShowCall,
  kind: K,
): Promise<Timeline<K>> {
  const at = params.at === undefined ? undefined : parseInstant(String(params.at))
  if (params.at !== undefined && at === undefined) {
    throw parameterInvalid(
      'at',
      `'${params.at}' is not a time: use Unix seconds or ISO 8601, such as 2026-02-28T10:00:00Z`,
    )
  }
  const found = merchantOfObject(services.engine, kind, given)
    ? given
    : idOfName(services.engine, kind, given)
  const merchant = merchantOfObject(services.engine, kind, found)
  if (!merchant) throw resourceMissing(kind, given)
  await turnToRead(services, merchant, c.env)
  return timelineOf(services.engine, merchant, { kind, id: found, at, limit: params.limit })
}

/**
 * Returns the id of the object to which fixtures gave a name; the name itself if there is none.
 * @throws ApiError parameter_invalid, param id, when objects of several merchants have the name
 */
function idOfName({ store }: Engine, kind: SubjectKind, name: string): string {
  const [id = name, ...others] = store.fixtureNames.find(kind, name)
  if (others.length === 0) return id
  throw parameterInvalid(
    'id',
    `Objects of several merchants have the name '${name}': ${[id, ...others].join(', ')}. Give an id`,
  )
}
