import * as z from 'zod'
import { addDuration, LAST_INSTANT, parseInstant } from '../core/calendar.ts'
import { parameterInvalid, parameterMissing } from '../core/errors.ts'
import type { EventType } from '../core/kinds.ts'
import type { ShownClock } from '../core/test-clock.ts'
import { beginAdvance, type MerchantClock } from '../engine/machine/begin-advance.ts'
import type { Clock } from '../engine/machine/clock.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { progressOf, type Summary } from '../engine/machine/stored-advance.ts'
import { type Upcoming, type UpcomingPage, upcomingInSteps } from '../engine/resources/upcoming.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { eventPattern, matchingTypes } from './event-types.ts'
import { reference } from './fields.ts'
import { cursorOf, type List, type PageParams, page, pageParams } from './pagination.ts'
import { readInSteps } from './read-turn.ts'
import {
  type ClockShape,
  clockSchema,
  type TestClockShape,
  type UpcomingShape,
  upcomingList,
} from './schemas/clock.ts'
import type { HttpServices } from './services.ts'

/** The parameters of an advance: its target, and the events that stop it early. See docs/contract/clocks.md#targets. */
export const advanceFields = {
  to: z.union([z.int(), z.string()], { error: 'expected Unix seconds or ISO 8601' }).optional(),
  by: z.string().optional(),
  stop_on: z.array(eventPattern()).max(100).optional(),
  await_webhooks: z.boolean().optional(),
  /** Whether to respond at once, while the advance runs. */
  async: z.boolean().optional(),
}
const advanceParams = deferred(() => z.object(advanceFields))
const upcomingParams = deferred(() => z.object({ ...pageParams, test_clock: reference.optional() }))

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
      summary: 'Advances the clock, runs the jobs that become due, and responds when the target is reached.',
      params: advanceParams,
      returns: clockSchema,
      errors: { 400: ['parameter_missing'] },
    },
    async ({ merchant, services, params, storePreliminary, checkCredentials }) => {
      const onBegin = () => storePreliminary(presentClock(merchant))
      const wanted = { ...params, ...targetOf(params), onBegin, checkCredentials }
      const [summary] = await advance(services, [{ merchant, clock: merchant.clock }], wanted)
      return { ...presentClock(merchant), ...(summary && { summary }) }
    },
  )
  api.read(
    {
      method: 'post',
      path: '/v1/test_helpers/clock/cancel',
      summary: 'Cancels a running advance.',
      returns: clockSchema,
    },
    ({ merchant, services }) => {
      services.engine.time.cancel(merchant, merchant.clock)
      return presentClock(merchant)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/clock/freeze',
      summary: 'Freezes the clock at its current time.',
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
      summary: 'Unfreezes the clock, which then runs from its current time.',
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
      summary: 'Lists scheduled jobs, next due first.',
      params: upcomingParams,
      returns: upcomingList,
    },
    ({ c, merchant, owner, services, params, checkCredentials }) => {
      const clock = selectClock(merchant, params.test_clock)
      return presentUpcoming(c.req.path, params, (wanted) =>
        readInSteps(
          services,
          { owner, env: c.env, check: checkCredentials },
          upcomingInSteps(services.engine, merchant, clock, wanted),
        ),
      )
    },
  )
}

/**
 * Advances clocks of different merchants: all of them or none.
 * @returns the counts for each clock; nothing if the caller does not wait for the end
 */
export async function advance(
  services: Pick<HttpServices, 'engine' | 'reportError'>,
  clocks: readonly MerchantClock[],
  given: AdvanceTime &
    z.infer<z.ZodObject<Pick<typeof advanceFields, 'stop_on' | 'await_webhooks' | 'async'>>> & {
      /** The parameter that names a test clock, if the path does not. */
      clockParam?: string
      /** Writes additional rows in the transaction that starts the advance. */
      onBegin?: () => void
      /** Checks that the caller's credentials are still valid when the advance starts. */
      checkCredentials?: () => void
      /** Cancels the advance, also while it waits. */
      signal?: AbortSignal | undefined
      /** Called when the advance has ended. */
      ended?: () => void
    },
): Promise<readonly ReturnType<typeof presentSummary>[]> {
  const { targetAt, param, clockParam, onBegin, checkCredentials, signal } = given
  const { done } = await beginAdvance(services.engine, clocks, targetAt, {
    stop_on: stopOn(given),
    await_webhooks: given.await_webhooks ?? false,
    async: given.async,
    param,
    ...(clockParam !== undefined && { clockParam }),
    ...(onBegin && { onBegin }),
    ...(checkCredentials && { checkCredentials }),
    ...(signal && { signal }),
  })
  void Promise.allSettled(done).then(given.ended)
  const ended = Promise.all(done)
  if (!given.async) return (await ended).map(presentSummary)
  ended.catch((error: unknown) => services.reportError(error, 'advancing a clock'))
  return []
}

/** Returns the test clock with the given id, or without an id the main clock. @throws ApiError resource_missing */
const selectClock = (merchant: MerchantState, testClock: string | undefined): Clock =>
  testClock === undefined ? merchant.clock : merchant.testClocks.named(testClock, 'test_clock')

/** The target of an advance, and the parameter that gave it. */
export type AdvanceTime = {
  readonly targetAt: (now: number) => number
  readonly param: 'to' | 'by' | 'frozen_time'
}

/**
 * Returns the target of an advance as a function of the current time.
 * @throws ApiError parameter_missing, parameter_invalid for `to` and `by`
 * See docs/contract/clocks.md#targets.
 */
export function targetOf({
  to,
  by,
}: {
  to?: number | string | undefined
  by?: string | undefined
}): AdvanceTime {
  if (to !== undefined && by !== undefined) throw parameterInvalid('by', 'Give to or by, not both')
  if (to !== undefined) {
    const target = parseInstant(String(to))
    if (target === undefined) {
      throw parameterInvalid(
        'to',
        `'${to}' is not a time: use Unix seconds or ISO 8601, such as 2026-02-28T10:00:00Z`,
      )
    }
    return { targetAt: () => target, param: 'to' }
  }
  if (by === undefined) throw parameterMissing('to')
  const targetAt = (now: number) => {
    const target = addDuration(now, by)
    if (target === undefined) {
      throw parameterInvalid(
        'by',
        `'${by}' is not a duration: use a form such as 90s, 15m, 36h, 3d, 2w, 1mo or 1y, or ISO 8601 such as P1M`,
      )
    }
    if (target > LAST_INSTANT) throw parameterInvalid('by', `'${by}' goes beyond the year 9999`)
    return target
  }
  targetAt(0)
  return { targetAt, param: 'by' }
}

/** Returns the event types that stop an advance. @throws ApiError parameter_invalid for a pattern without a match */
const stopOn = ({ stop_on = [] }: { stop_on?: readonly string[] | undefined }): EventType[] => [
  ...new Set(stop_on.flatMap((pattern, index) => matchingTypes(pattern, `stop_on[${index}]`))),
]

/** Presents the main clock of a merchant. See docs/contract/clocks.md#clock-endpoints. */
export const presentClock = ({ clock, settings }: MerchantState): ClockShape => ({
  id: clock.id,
  object: 'clock',
  mode: clock.mode,
  ...commonOf(clock),
  merchant_id: settings.id,
})

/** See docs/contract/clocks.md#test-clocks. */
export const presentTestClock = (merchant_id: string, clock: ShownClock | Clock): TestClockShape => ({
  id: clock.id,
  object: 'test_clock',
  name: clock.name,
  mode: 'frozen',
  frozen_time: clock.now,
  ...commonOf(clock),
  merchant_id,
})

function commonOf(clock: ShownClock | Clock) {
  const progress = 'advance' in clock ? progressOf(clock) : null
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

/** Presents a page of scheduled jobs, next due first. */
export async function presentUpcoming(
  url: string,
  params: PageParams,
  read: (page: UpcomingPage) => Promise<Upcoming[]>,
): Promise<List<UpcomingShape>> {
  const { limit } = params
  const cursor = cursorOf(params)
  const isBackward = cursor?.param === 'ending_before'
  const found = await read({ limit: limit + 1, cursor: cursor && { ...cursor, isBackward } })
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
