import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { DashboardAccess } from '../../src/http/dashboard/access.ts'
import { userOfPeer } from '../../src/http/dashboard/peer-user.ts'
import { url } from './support.ts'

test('a link for one user of the machine is neither opened nor used up by another', async () => {
  const access = new DashboardAccess({ adminToken: 'u'.repeat(40), url, wall: Date.now })
  const open = (link: string, user: number | undefined) =>
    access.open(new URL(link).searchParams.get('code') ?? '', () => user)
  const own = access.createLink({ id: 1_000 }).url
  expect(open(own, 1_001)).toBeUndefined()
  expect(open(own, undefined)).toBeUndefined()
  expect(open(own, 1_000)).toContain('dss_test_')
  expect(open(access.createLink({ id: undefined }).url, undefined)).toContain('dss_test_')
  expect(open(access.createLink().url, 1_001)).toContain('dss_test_')
})

test.each(['127.0.0.1', '::1'])('the user of a connection from %s is known on Linux', async (host) => {
  const users: (number | undefined)[] = []
  const server = createServer((incoming, response) => {
    users.push(userOfPeer({ env: { incoming } } as unknown as Context))
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await (await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)).text()
  expect(users).toEqual([process.platform === 'linux' ? process.getuid?.() : undefined])
})
