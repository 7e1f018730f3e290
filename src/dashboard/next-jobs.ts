import type { List, Upcoming } from '../client/types.ts'
import type { ApiParams, OperatorApi } from '../http/dashboard/operator-api.ts'

const PAGE = 100
/** The maximum number of pages to read past webhook retries: a receiver that does not answer causes many of them. */
const MAX_PAGES = 10

/** Lists the next jobs of a clock, without retries of webhooks. @param scope - selects the clock */
export async function nextJobs(
  api: OperatorApi,
  scope: ApiParams,
  limit: number,
): Promise<readonly Upcoming[]> {
  const found: Upcoming[] = []
  let starting_after: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, has_more } = await api.get<List<Upcoming>>('upcoming', {
      ...scope,
      limit: PAGE,
      starting_after,
    })
    found.push(...data.filter(({ kind }) => kind !== 'webhook_retry'))
    if (!has_more || found.length >= limit) break
    starting_after = data.at(-1)?.id
  }
  return found.slice(0, limit)
}
