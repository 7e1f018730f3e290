import { afterEach, expect, test, vi } from 'vitest'
import { addressOf } from '../../src/daemon/listening.ts'

afterEach(() => vi.useRealTimers())

test('an address, and localhost, are not looked up', async () => {
  const lookUp = vi.fn()
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', 'localhost'])
    expect(await addressOf(host, lookUp)).toBe(host)
  expect(lookUp).not.toHaveBeenCalled()
})

test('a name is looked up, and the first of its addresses counts', async () => {
  const found = [
    { address: '127.0.0.2', family: 4 },
    { address: '127.0.0.3', family: 4 },
  ]
  expect(await addressOf('sandbox.test', async () => found)).toBe('127.0.0.2')
})

test('a name server that does not answer ends the start after five seconds', async () => {
  vi.useFakeTimers()
  const silent = (_name: string, signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const address = expect(addressOf('sandbox.test', silent)).rejects.toThrow(
    'sandbox.test could not be looked up within 5 seconds',
  )
  await vi.advanceTimersByTimeAsync(5_000)
  await address
})
