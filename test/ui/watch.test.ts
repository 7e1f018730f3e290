import { expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { type Terminal, watchEvents } from '../../src/ui/watch.tsx'

test('an interruption before the start shows no UI', async () => {
  const written: string[] = []
  const terminal = {
    stdin: { setRawMode: (isRaw: boolean) => written.push(`raw ${isRaw}`) },
    stdout: { write: (text: string) => written.push(text) },
  } as unknown as Terminal
  await watchEvents({
    client: new Client({ url: 'http://127.0.0.1:1', token: null }),
    beginning: { since: null, isConfirmed: true },
    watched: { merchant: null, names: new Map() },
    history: [],
    terminal,
    isColoured: true,
    forward: null,
    signal: AbortSignal.abort(),
  })
  expect(written).toEqual([])
})
