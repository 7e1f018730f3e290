import type { Clock, List } from '../client/types.ts'
import type { PageContext } from './context.ts'

/** The parameters that select a clock in the admin API. */
export const scopeOf = (merchant: PageContext['merchant'], id: string) => ({
  merchant: merchant.id,
  ...(id !== merchant.clock.id && { test_clock: id }),
})

/** Reads a clock. @throws ApiError resource_missing */
export async function clockOf({ api, merchant }: PageContext, id: string): Promise<Clock> {
  const { data } = await api.get<List<Clock>>('clock', scopeOf(merchant, id))
  const [clock] = data
  if (!clock) throw new Error('the API returns the clock, or an error')
  return clock
}
