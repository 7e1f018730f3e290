import * as z from 'zod'
import { parseInstant } from '../../core/calendar.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { merchantOfObject } from '../../engine/merchant.ts'
import { type SubjectKind, type Timeline, timelineOf } from '../../engine/timeline.ts'
import { presentCustomerOrStub } from '../customer.ts'
import { presentInvoice } from '../invoice.ts'
import { customerTimeline, invoiceTimeline, subscriptionTimeline } from '../schemas/timeline.ts'
import { presentSubscription } from '../subscription.ts'
import { presentAround } from '../timeline.ts'
import type { AddRoute, AdminCall } from './services.ts'

const MAX_CHANGES = 1_000

const showParams = z.object({
  at: z.union([z.int(), z.string()]).optional(),
  limit: z.int().min(1).max(MAX_CHANGES).default(MAX_CHANGES),
})
type ShowCall = AdminCall<z.infer<typeof showParams>>

/** Registers the routes for objects of any merchant with their timelines. */
export function timelineRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'customers/:id',
      summary: 'Retrieves a customer of any merchant with its timeline, as of now or an earlier time.',
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
      summary: 'Retrieves a subscription of any merchant with its timeline, as of now or an earlier time.',
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
async function recall<K extends SubjectKind>({ site, params, id }: ShowCall, kind: K): Promise<Timeline<K>> {
  const at = params.at === undefined ? undefined : parseInstant(String(params.at))
  if (params.at !== undefined && at === undefined) {
    throw parameterInvalid(
      'at',
      `'${params.at}' is not a time: use Unix seconds or ISO 8601, such as 2026-02-28T10:00:00Z`,
    )
  }
  const merchant = merchantOfObject(site.engine, kind, id)
  if (!merchant) throw resourceMissing(kind, id)
  await site.engine.runDueJobs(merchant)
  return timelineOf(site.engine, merchant, { kind, id, at, limit: params.limit })
}
