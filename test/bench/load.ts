import { setTimeout as delay } from 'node:timers/promises'
import autocannon, { type Request } from 'autocannon'

const CONNECTIONS = 10
const SECONDS = 8
const WARM_UP_SECONDS = 2
const STEP_MS = 1

/**
 * As many requests as a server answers, over 10 connections, for 8 seconds after a warm-up. The load generator runs in the
 * bench's own process: of two processors it takes the one that the server, which has one thread, leaves.
 * @param requests - what each connection goes round; they are shared out, so that no two connections ask for the same
 * @returns answers a second
 */
export async function fullLoad(url: string, requests: readonly Request[]): Promise<number> {
  const run = (seconds: number) => {
    let connection = 0
    return autocannon({
      url,
      connections: CONNECTIONS,
      duration: seconds,
      setupClient: (client) => {
        const share = requests.filter((_, index) => index % CONNECTIONS === connection % requests.length)
        // A copy for each: autocannon notes in a request what it has built of it.
        client.setRequests(share.map((request) => ({ ...request })))
        connection += 1
      },
    })
  }
  await run(WARM_UP_SECONDS)
  const result = await run(SECONDS)
  if (result.non2xx + result.errors > 0) {
    throw new Error(`${url}: ${result.non2xx} answers were no success, and ${result.errors} requests failed`)
  }
  return result['2xx'] / result.duration
}

/** A request with a form body, as the API's users send it. */
export const formRequest = (
  path: string,
  token: string,
  form: Readonly<Record<string, string>>,
): Request => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(form).toString(),
})

export const getRequest = (path: string, token: string): Request => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${token}` },
})

/** Begins works at a steady rate, however long each takes. @returns what became of them */
export async function steadyLoad<Result>(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  work: () => Promise<Result>,
): Promise<Result[]> {
  const works: Promise<Result>[] = []
  const begun = performance.now()
  while (works.length < seconds * perSecond) {
    const due = Math.min((performance.now() - begun) / 1_000, seconds) * perSecond
    while (works.length < due) works.push(work())
    await delay(STEP_MS)
  }
  return Promise.all(works)
}

/** Does something so many times, some at a time. @returns what became of them */
export async function inParallel<Result>(
  { times, atOnce }: { readonly times: number; readonly atOnce: number },
  work: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < times) {
      const index = next
      next += 1
      results[index] = await work(index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, times) }, worker))
  return results
}
