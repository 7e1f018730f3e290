import type { Client } from '../client/client.ts'
import type { Upcoming } from '../client/types.ts'

/** A job in the table of `clock next`. */
export type ShownJob = Pick<Upcoming, 'due' | 'subscription' | 'invoice' | 'merchant_id'> & {
  readonly kind: string
}

type Asked = {
  readonly merchant?: string | undefined
  readonly test_clock?: string | undefined
  readonly limit: number
}

const PAGE = 100
/** The maximum number of pages to read past webhook retries in search of billing jobs. */
const MAX_PAGES = 10

const isRetry = ({ kind }: ShownJob): boolean => kind === 'webhook_retry'

/**
 * Lists the next jobs: first the billing jobs, then one line for all webhook retries, with the time of the earliest and their
 * number. A receiver that does not answer causes many of them, which would hide the next renewal.
 */
export async function nextJobs(client: Client, { limit, ...scope }: Asked): Promise<readonly ShownJob[]> {
  const first = await client.upcoming({ ...scope, limit })
  if (!first.data.some(isRetry)) return first.data
  const { jobs, has_more } = await readJobs(client, scope, limit)
  const retries = jobs.filter(isRetry)
  const [earliest] = retries
  const billing = jobs.filter((job) => !isRetry(job)).slice(0, limit)
  if (!earliest) return billing
  const isOfOne = retries.every(({ merchant_id }) => merchant_id === earliest.merchant_id)
  const count = `${retries.length}${has_more ? ' or more' : ''}`
  return [
    ...billing,
    {
      due: earliest.due,
      kind: `webhook_retry × ${count}`,
      subscription: null,
      invoice: null,
      merchant_id: isOfOne ? earliest.merchant_id : '–',
    },
  ]
}

/** Reads pages until there are enough billing jobs. The list of several merchants has only one page. */
async function readJobs(
  client: Client,
  scope: Omit<Asked, 'limit'>,
  limit: number,
): Promise<{ readonly jobs: readonly Upcoming[]; readonly has_more: boolean }> {
  const jobs: Upcoming[] = []
  for (let page = 0; ; page += 1) {
    const starting_after = jobs.at(-1)?.id
    const { data, has_more } = await client.upcoming({ ...scope, limit: PAGE, starting_after })
    jobs.push(...data)
    const isOfSeveral = new Set(jobs.map(({ merchant_id }) => merchant_id)).size > 1
    const billing = jobs.filter((job) => !isRetry(job)).length
    if (!has_more || isOfSeveral || billing >= limit || page + 1 === MAX_PAGES) return { jobs, has_more }
  }
}
