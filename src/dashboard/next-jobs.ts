import type { List, Upcoming } from '../client/types.ts'
import type { ApiParams, OperatorApi } from '../http/dashboard/operator-api.ts'

const PAGE = 100
/** The maximum number of pages to read past webhook retries: a receiver that does not answer causes many of them. */
const MAX_PAGES = 10

/** The next jobs of a clock. */
export type NextJobs = {
  readonly jobs: readonly Upcoming[]
  /** Whether more jobs follow that were not read, because so many retries of webhooks come before them. */
  readonly isCut: boolean
}

/** Lists the next jobs of a clock, without retries of webhooks. @param scope - selects the clock */
export async function nextJobs(
  api: Pick<OperatorApi, 'get'>,
  scope: ApiParams,
  limit: number,
): Promise<NextJobs> {
  const found: Upcoming[] = []
  let starting_after: string | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { data, has_more } = await api.get<List<Upcoming>>('upcoming', {
      ...scope,
      limit: PAGE,
      starting_after,
    })
    found.push(...data.filter(({ kind }) => kind !== 'webhook_retry'))
    if (!has_more || found.length >= limit) return { jobs: found.slice(0, limit), isCut: false }
    starting_after = data.at(-1)?.id
  }
  return { jobs: found, isCut: true }
}
