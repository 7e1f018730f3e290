import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import type { StreamStatus } from '../../src/client/live.ts'
import type { LoggedRequest } from '../../src/client/types.ts'
import { watchRequests } from '../../src/ui/request-watch.ts'
import { sampleRequest } from './samples.ts'

const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** A daemon whose stream and list are under control. The list is newest first. */
async function watching(...listed: number[]) {
  const streamed: LoggedRequest[] = []
  let wake: () => void = () => undefined
  let report: (status: StreamStatus) => void = () => undefined
  let respondWithList: () => void = () => undefined
  const ended = new AbortController()
  const client: Pick<Client, 'requests' | 'followRequests'> = {
    requests: async () => {
      const data = listed.map((n) => sampleRequest(n))
      await new Promise<void>((resolve) => {
        respondWithList = resolve
      })
      return { object: 'list', url: '', has_more: false, data, livemode: false }
    },
    followRequests: async function* (_wanted, { onStatus, signal }) {
      report = (status) => onStatus?.(status)
      report('connected')
      while (!signal.aborted) {
        yield* streamed.splice(0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
  const seen: string[][] = []
  const watched = watchRequests(client, undefined, {
    signal: ended.signal,
    onRequests: (requests) => seen.push(requests.map(({ id }) => id)),
    failed: (error) => expect(error).toBeUndefined(),
  })
  await settled()
  return {
    seen,
    listed,
    stream: async (...numbers: number[]) => {
      streamed.push(...numbers.map((n) => sampleRequest(n)))
      wake()
      await settled()
    },
    respondWithList: async () => {
      respondWithList()
      await settled()
    },
    reconnect: () => report('reconnected'),
    end: async () => {
      ended.abort()
      wake()
      await watched
    },
  }
}

test('the newest requests come first, then those of the stream, each of them once', async () => {
  const { seen, stream, respondWithList, end } = await watching(3, 2, 1)
  await stream(3, 4)
  expect(seen).toEqual([])
  await respondWithList()
  await stream(5, 6)
  expect(seen).toEqual([
    ['req_1', 'req_2', 'req_3', 'req_4'],
    ['req_5', 'req_6'],
  ])
  await end()
})

test('requests that were answered during a disconnection are read afterwards', async () => {
  const { seen, listed, reconnect, respondWithList, end } = await watching(1)
  await respondWithList()
  listed.unshift(3, 2)
  reconnect()
  await respondWithList()
  expect(seen).toEqual([['req_1'], ['req_2', 'req_3']])
  await end()
})
