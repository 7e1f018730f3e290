import { parseInstant } from '../core/calendar.ts'
import type { Advance, AdvanceOptions, ClockControl, Instant } from './api.ts'
import { refuseUnknown, requireText } from './options.ts'
import type { Clock, Upcoming } from './resources.ts'

/** The merchant's API, and the current time of its clock in Unix seconds. */
type Controlled = {
  get<ResponseBody>(path: string): Promise<ResponseBody>
  post<ResponseBody>(path: string, body: object): Promise<ResponseBody>
  readonly now: () => number
}

const dateOf = (seconds: number) => new Date(seconds * 1_000)

/** Converts an instant to the API's form; a Date is truncated to seconds. */
export const timeOf = (instant: Instant): string | number =>
  instant instanceof Date ? Math.floor(instant.getTime() / 1_000) : instant

/** Converts an instant to Unix seconds. @throws TypeError for an invalid time */
export function secondsOf(instant: Instant): number {
  const seconds = parseInstant(String(timeOf(instant)))
  if (seconds !== undefined) return seconds
  throw new TypeError(
    `'${instant}' is not a valid time: use ISO 8601 as in 2026-01-31T10:00:00Z, Unix seconds, or a Date`,
  )
}

export function controlClock({ get, post, now }: Controlled): ClockControl {
  const advance = async (target: object, options: AdvanceOptions = {}): Promise<Advance> => {
    refuseUnknown('an advance', options, { stopOn: true, awaitWebhooks: true })
    const { stopOn, awaitWebhooks } = options
    const {
      summary,
      status,
      now: arrived,
    } = await post<Clock>('/v1/test_helpers/clock/advance', {
      ...target,
      ...(stopOn && { stop_on: stopOn }),
      ...(awaitWebhooks !== undefined && { await_webhooks: awaitWebhooks }),
    })
    if (status === 'advancing') throw new Error('The sandbox was closed before the advance ended')
    if (!summary) throw new Error('the response of an advance has a summary')
    return { ...summary, now: dateOf(arrived) }
  }
  const upcoming = async (limit: number) =>
    (await get<{ data: Upcoming[] }>(`/v1/test_helpers/upcoming?limit=${limit}`)).data
  return {
    get now() {
      return dateOf(now())
    },
    advance: async (by, options) =>
      advance({ by: requireText('The duration of clock.advance, such as 1mo,', by) }, options),
    advanceTo: (to, options) => advance({ to: timeOf(to) }, options),
    advanceToNext: async (options = {}) => {
      refuseUnknown('advanceToNext', options, { awaitWebhooks: true })
      const [next] = await upcoming(1)
      if (!next) throw new Error('No job is due, so advanceToNext has no time to advance to')
      return advance({ to: next.due }, options)
    },
    upcoming: () => upcoming(100),
  }
}
