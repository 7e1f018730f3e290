import { z } from 'zod'
import { addDuration, LAST_INSTANT, parseInstant } from '../core/calendar.ts'
import { parameterInvalid, parameterMissing } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import { beginAdvance } from '../engine/begin-advance.ts'
import type { Clock } from '../engine/clock.ts'
import type { MerchantState } from '../engine/merchant-state.ts'
import { progressOf, type Summary } from '../engine/scheduler.ts'
import { type Upcoming, type UpcomingPage, upcomingJobs } from '../engine/upcoming.ts'
import type { Api } from './api.ts'
import { eventPattern, matchingTypes } from './event-types.ts'
import { reference } from './fields.ts'
import { cursorOf, type List, type PageParams, page, pageParams } from './pagination.ts'
import {
  type ClockShape,
  clockSchema,
  type TestClockShape,
  type UpcomingShape,
  upcomingList,
} from './schemas/clock.ts'
import type { Site } from './site.ts'

/** How far an advance goes, and what ends it early. See docs/contract/clocks.md#targets. */
export const advanceFields = {
  to: z.union([z.int(), z.string()], { error: 'expected Unix seconds or ISO 8601' }).optional(),
  by: z.string().optional(),
  stop_on: z.array(eventPattern).max(100).optional(),
  await_webhooks: z.boolean().optional(),
  /** Whether to answer at once, while time moves. */
  async: z.boolean().optional(),
}
const advanceParams = z.object(advanceFields)
const upcomingParams = z.object({ ...pageParams, test_clock: reference.optional() })

export function clockRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/test_helpers/clock',
      summary: 'Shows the clock of the merchant.',
      returns: clockSchema,
    },
    ({ merchant }) => presentClock(merchant),
  )
  api.read(
    {
      method: 'post',
      path: '/v1/test_helpers/clock/advance',
      summary: 'Moves time forward from due job to due job, and answers when it has arrived.',
      params: advanceParams,
      returns: clockSchema,
      errors: { 400: ['parameter_missing'] },
    },
    async ({ merchant, site, params, keep, checkAdmitted }) => {
      const begun = () => keep(presentClock(merchant))
      const wanted = { ...params, ...aimOf(params), begun, checkAdmitted }
      const summary = await advance(site, merchant, merchant.clock, wanted)
      return { ...presentClock(merchant), ...(summary && { summary }) }
    },
  )
  api.read(
    {
      method: 'post',
      path: '/v1/test_helpers/clock/cancel',
      summary: 'Stops an advance that is under way.',
      returns: clockSchema,
    },
    ({ merchant, site }) => {
      site.engine.time.cancel(merchant, merchant.clock)
      return presentClock(merchant)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/clock/freeze',
      summary: 'Stops the clock where it stands.',
      returns: clockSchema,
    },
    ({ merchant }) => {
      merchant.clock.freeze()
      return presentClock(merchant)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/clock/unfreeze',
      summary: 'Lets the clock tick on from where it stands.',
      returns: clockSchema,
    },
    ({ merchant }) => {
      merchant.clock.unfreeze()
      return presentClock(merchant)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/test_helpers/upcoming',
      summary: 'Lists what time is going to make happen, the next first.',
      params: upcomingParams,
      returns: upcomingList,
    },
    ({ c, merchant, site, params }) =>
      presentUpcoming(c.req.path, params, (wanted) =>
        upcomingJobs(site.engine, merchant, clockMeant(merchant, params.test_clock), wanted),
      ),
  )
}

/**
 * Advances a clock.
 * @returns what was done; undefined when the caller does not wait for that
 */
export async function advance(
  site: Pick<Site, 'engine' | 'reportError'>,
  merchant: MerchantState,
  clock: Clock,
  given: Aim &
    z.infer<z.ZodObject<Pick<typeof advanceFields, 'stop_on' | 'await_webhooks' | 'async'>>> & {
      /** The parameter that names a test clock, where it is not in the path. */
      clockParam?: string
      /** What else to write when it begins, in the same transaction. */
      begun?: () => void
      /** Makes sure, when it is about to begin, that the caller may still begin it. */
      checkAdmitted?: () => void
    },
): Promise<ReturnType<typeof presentSummary> | undefined> {
  const { aim, param, clockParam, begun, checkAdmitted } = given
  const { done } = await beginAdvance(site.engine, { merchant, clock }, aim, {
    stop_on: stopOn(given),
    await_webhooks: given.await_webhooks ?? false,
    param,
    ...(clockParam !== undefined && { clockParam }),
    ...(begun && { begun }),
    ...(checkAdmitted && { checkAdmitted }),
  })
  if (!given.async) return presentSummary(await done)
  done.catch((error: unknown) => site.reportError(error, 'advancing a clock'))
  return undefined
}

/** The clock that is meant: a test clock that is named, else the main one. @throws ApiError resource_missing */
const clockMeant = (merchant: MerchantState, testClock: string | undefined): Clock =>
  testClock === undefined ? merchant.clock : merchant.testClocks.named(testClock, 'test_clock')

/** Where an advance leads, and the parameter that says so. */
export type Aim = { readonly aim: (now: number) => number; readonly param: 'to' | 'by' | 'frozen_time' }

/**
 * Where an advance leads from an instant.
 * @throws ApiError parameter_missing, parameter_invalid for `to` and `by`
 * See docs/contract/clocks.md#targets.
 */
export function aimOf({ to, by }: { to?: number | string | undefined; by?: string | undefined }): Aim {
  if (to !== undefined && by !== undefined) throw parameterInvalid('by', 'Give to or by, not both')
  if (to !== undefined) {
    const target = parseInstant(String(to))
    if (target === undefined) {
      throw parameterInvalid(
        'to',
        `'${to}' is no time: give Unix seconds or ISO 8601, as in 2026-02-28T10:00:00Z`,
      )
    }
    return { aim: () => target, param: 'to' }
  }
  if (by === undefined) throw parameterMissing('to')
  const aim = (now: number) => {
    const target = addDuration(now, by)
    if (target === undefined) {
      throw parameterInvalid(
        'by',
        `'${by}' is no duration: give one of 90s 15m 36h 3d 2w 1mo 1y, or ISO 8601 as in P1M`,
      )
    }
    if (target > LAST_INSTANT) throw parameterInvalid('by', `'${by}' leads beyond the year 9999`)
    return target
  }
  aim(0)
  return { aim, param: 'by' }
}

/** The event types that end an advance. @throws ApiError parameter_invalid for one that matches none */
export const stopOn = ({ stop_on }: { stop_on?: readonly string[] | undefined }): EventType[] =>
  (stop_on ?? []).flatMap((pattern, index) => matchingTypes(pattern, `stop_on[${index}]`))

/** The main clock of a merchant. See docs/contract/clocks.md#clock-endpoints. */
export const presentClock = ({ clock, settings }: MerchantState): ClockShape => ({
  id: clock.id,
  object: 'clock',
  mode: clock.mode,
  ...commonOf(clock),
  merchant_id: settings.id,
})

/** See docs/contract/clocks.md#test-clocks. */
export const presentTestClock = (merchant_id: string, clock: Clock): TestClockShape => ({
  id: clock.id,
  object: 'test_clock',
  name: clock.name,
  mode: 'frozen',
  frozen_time: clock.now,
  ...commonOf(clock),
  merchant_id,
})

function commonOf(clock: Clock) {
  const progress = progressOf(clock)
  return {
    created: clock.created,
    now: clock.now,
    status: clock.target === null ? ('ready' as const) : ('advancing' as const),
    target: clock.target,
    ...(progress && { progress: presentSummary(progress) }),
    livemode: false,
  }
}

const presentSummary = ({
  jobs,
  events,
  invoices_paid,
  payments_failed,
  stopped_on,
}: Summary): NonNullable<ClockShape['summary']> => ({
  jobs,
  events,
  invoices_paid,
  payments_failed,
  stopped_on,
})

/** A page of what is to come, in order. */
export function presentUpcoming(
  url: string,
  params: PageParams,
  read: (page: UpcomingPage) => Upcoming[],
): List<UpcomingShape> {
  const { limit } = params
  const cursor = cursorOf(params)
  const isBackward = cursor?.param === 'ending_before'
  const found = read({ limit: limit + 1, cursor: cursor && { ...cursor, isBackward } })
  return page(url, found, { limit, isBackward }, ({ id, due, kind, subscription, invoice, merchant_id }) => ({
    id,
    object: 'upcoming' as const,
    due,
    kind,
    subscription,
    invoice,
    livemode: false,
    merchant_id,
  }))
}
