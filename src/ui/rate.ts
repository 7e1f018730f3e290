/** The span over which a rate is averaged, in milliseconds. */
export const RATE_SPAN_MS = 2_000

/** The recent arrivals: when (in milliseconds), and how many. */
export type Rate = readonly (readonly [at: number, count: number])[]

export const counted = (rate: Rate, at: number, count: number): Rate =>
  [...rate, [at, count] as const].filter(([when]) => when > at - RATE_SPAN_MS)

/** Returns the recent rate in events per second. */
export const perSecond = (rate: Rate, at: number): number =>
  rate.reduce((sum, [when, count]) => (when > at - RATE_SPAN_MS ? sum + count : sum), 0) /
  (RATE_SPAN_MS / 1000)
