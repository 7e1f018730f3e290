import { expect, test } from 'vitest'
import type { Client } from '../../src/client/client.ts'
import { Unreachable } from '../../src/client/errors.ts'
import type { LoggedRequest } from '../../src/client/types.ts'
import { watchIgnored } from '../../src/ui/ignored-watch.ts'

const REQUEST = { id: 'req_1', ignored_params: ['zebra'] } as unknown as LoggedRequest

/** A client whose stream has one request, and then fails. */
const clientThatFails = (error: unknown): { client: Pick<Client, 'followRequests'>; asked: unknown[] } => {
  const asked: unknown[] = []
  const client = {
    followRequests: async function* (wanted: unknown) {
      asked.push(wanted)
      yield REQUEST
      throw error
    },
  }
  return { client, asked }
}

test('requests with ignored parameters are reported, and a lost stream waits for the end of the UI', async () => {
  const { client, asked } = clientThatFails(
    new Unreachable({ url: 'http://127.0.0.1', message: 'gone', isConnected: true }),
  )
  const ended = new AbortController()
  const seen: unknown[] = []
  let isDone = false
  const watching = watchIgnored(client, 'mer_1', {
    signal: ended.signal,
    onIgnored: (request) => {
      seen.push(request)
      setImmediate(() => {
        expect(isDone).toBe(false)
        ended.abort()
      })
    },
  }).then(() => (isDone = true))
  await watching
  expect(seen).toEqual([REQUEST])
  expect(asked).toEqual([{ merchant: 'mer_1', ignored_params: true }])
})

test('an internal error ends it', async () => {
  const { client } = clientThatFails(new TypeError('a bug'))
  const options = { signal: new AbortController().signal, onIgnored: () => undefined }
  await expect(watchIgnored(client, undefined, options)).rejects.toThrow('a bug')
})
