import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Request } from 'autocannon'
import type { Server } from './daemon.ts'
import { processorSeconds } from './machine.ts'
import { type Goal, known, type Measurement } from './result.ts'

const CONNECTIONS = 10
const SECONDS = 8
const WARM_UP_SECONDS = 2
const STEP_MS = 1

/** `processorMicroseconds`: the processor time of all threads of the server for one response; null if unknown. */
export type Throughput = { readonly perSecond: number; readonly processorMicroseconds: number | null }

const autocannon = loadGenerator()

/** Loads autocannon, which `npm run compat` installs. */
function loadGenerator(): typeof import('autocannon') {
  const folder = resolve('test/compat')
  if (!existsSync(join(folder, 'node_modules')))
    throw new Error("The load generator is not installed: run 'npm ci --prefix test/compat'")
  return createRequire(join(folder, 'package.json'))('autocannon')
}

/**
 * Sends requests over 10 connections at full speed, for 8 seconds after a warm-up. The load generator runs in the process of
 * the bench, so with two processors it does not compete with the server, which has one thread.
 * @param requests - distributed among the connections, so that no two connections send the same request
 */
export async function fullLoad(
  { url, pid }: Pick<Server, 'url' | 'pid'>,
  requests: readonly Request[],
): Promise<Throughput> {
  const run = (seconds: number) => {
    let connection = 0
    return autocannon({
      url,
      connections: CONNECTIONS,
      duration: seconds,
      setupClient: (client) => {
        const share = requests.filter((_, index) => index % CONNECTIONS === connection % requests.length)
        // A copy for each connection, because autocannon modifies requests.
        client.setRequests(share.map((request) => ({ ...request })))
        connection += 1
      },
    })
  }
  await run(WARM_UP_SECONDS)
  const usedBefore = processorSeconds(pid)
  const result = await run(SECONDS)
  const usedAfter = processorSeconds(pid)
  if (result.non2xx + result.errors > 0) {
    throw new Error(
      `${url}: ${result.non2xx} responses were not successful, and ${result.errors} requests failed`,
    )
  }
  const answered = result['2xx']
  const used = usedBefore === null || usedAfter === null ? null : usedAfter - usedBefore
  return { perSecond: answered / result.duration, processorMicroseconds: used && (used / answered) * 1e6 }
}

/** Creates the measurements of a request under full load. */
export const throughputOf = (
  what: string,
  { paytwin, floor }: { readonly paytwin: readonly Throughput[]; readonly floor: readonly Throughput[] },
  goals: readonly Goal[],
): Measurement[] => [
  {
    what,
    unit: '/s',
    paytwin: paytwin.map(({ perSecond }) => perSecond),
    floor: floor.map(({ perSecond }) => perSecond),
    goals,
  },
  {
    what: 'processor time of the server for one',
    unit: 'µs',
    paytwin: known(paytwin.map(({ processorMicroseconds }) => processorMicroseconds)),
    floor: known(floor.map(({ processorMicroseconds }) => processorMicroseconds)),
    goals: [],
  },
]

/** A rate with the rate of the floor, measured in turns. */
export const rateBeside = (
  what: string,
  own: readonly Throughput[],
  other: readonly Throughput[],
  goals: readonly Goal[],
): Measurement => ({
  what,
  unit: '/s',
  paytwin: own.map(({ perSecond }) => perSecond),
  floor: other.map(({ perSecond }) => perSecond),
  goals,
})

/** Creates a request with a form body, as users of the API send it. */
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

/** Starts tasks at a steady rate, regardless of their duration. @returns their results */
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

/** Runs a task a number of times, with limited concurrency. @returns the results */
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
