import { afterEach, expect, test, vi } from 'vitest'
import { adminTokenOf } from '../../src/daemon/admin-token.ts'
import { isLoopback, placeOf } from '../../src/daemon/listening.ts'
import { StartRefused } from '../../src/daemon/start-refused.ts'
import type { LookUp } from '../../src/webhooks/lookup-processes.ts'

afterEach(() => vi.useRealTimers())

const place = (host: string, lookUp: LookUp) => placeOf({ host, port: 4242 }, lookUp)
const finding = (...addresses: string[]) =>
  vi.fn<LookUp>(async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))

test.each(['127.0.0.1', '::1', '0.0.0.0', 'localhost'])(
  '%s is given to the system without a lookup process',
  async (host) => {
    const lookUp = finding('192.0.2.1')
    expect(await place(host, lookUp)).toEqual({ host, port: 4242, address: host })
    expect(lookUp).not.toHaveBeenCalled()
  },
)

test.each([
  [['127.0.0.2', '127.0.0.3'], '127.0.0.2'],
  [['fe80::1', 'febf::1', '::1'], '::1'],
  [['fe80::1'], 'fe80::1'],
])('of the addresses %j of a name, %s is used', async (addresses, address) => {
  expect(await place('sandbox.test', finding(...addresses))).toMatchObject({ address })
})

test('a name without an address ends the start', async () => {
  await expect(place('sandbox.test', finding())).rejects.toThrow(
    new StartRefused(1, 'Cannot listen on sandbox.test:4242: sandbox.test has no address'),
  )
})

test('a name server that does not answer ends the start after five seconds', async () => {
  vi.useFakeTimers()
  const silent = (_name: string, signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const refused = expect(place('sandbox.test', silent)).rejects.toThrow(
    new StartRefused(
      1,
      'Cannot listen on sandbox.test:4242: sandbox.test could not be looked up within 5 seconds',
    ),
  )
  await vi.advanceTimersByTimeAsync(5_000)
  await refused
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', false],
  ['::1%lo', false],
  ['0.0.0.0', false],
  ['::', false],
  ['192.0.2.1', false],
  ['fe80::1%eth0', false],
  ['::ffff:192.0.2.1', false],
])('whether %s is a loopback address: %s', (address, expected) => {
  expect(isLoopback({ address })).toBe(expected)
})

test.each([
  ['127.0.0.256', '192.0.2.1', false],
  ['127.1', '127.0.0.1', true],
  ['sandbox.test', '127.0.1.1', true],
])('the address of the name %s decides whether a token may be generated: %s', async (host, address, may) => {
  const wanted = { adminToken: null, adminTokenFile: null, generateAdminToken: false }
  const token = adminTokenOf({ ...wanted, place: await place(host, finding(address)) }, null)
  if (may) expect((await token).value).toHaveLength(40)
  else
    await expect(token).rejects.toThrow(
      `Listening on ${host} requires an admin token, because it is not localhost`,
    )
})
