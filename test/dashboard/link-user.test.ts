import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { userOfPeer } from '../../src/daemon/peer-user.ts'
import { DashboardAccess } from '../../src/http/dashboard/access.ts'
import { url } from './support.ts'

test('a link for one user of the machine is neither opened nor used up by another', async () => {
  let user: number | undefined
  const settings = { adminToken: 'u'.repeat(40), url, wall: Date.now, userOfPeer: () => user }
  const access = new DashboardAccess(settings)
  const linkOf = (creator: number | undefined) => {
    user = creator
    return access.createLink({}).url
  }
  const openAs = (opener: number | undefined, link: string) => {
    user = opener
    return access.open(new URL(link).searchParams.get('code') ?? '', {})
  }
  const own = linkOf(1_000)
  expect(openAs(1_001, own)).toBeUndefined()
  expect(openAs(undefined, own)).toBeUndefined()
  expect(openAs(1_000, own)).toContain('dss_test_')
  expect(openAs(undefined, linkOf(undefined))).toContain('dss_test_')
  expect(openAs(1_001, access.createLink().url)).toContain('dss_test_')
})

test.each(['127.0.0.1', '::1'])('the user of a connection from %s is known on Linux', async (host) => {
  const users: (number | undefined)[] = []
  const server = createServer((incoming, response) => {
    users.push(userOfPeer(incoming.socket))
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, host, done))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await (await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}`)).text()
  expect(users).toEqual([process.platform === 'linux' ? process.getuid?.() : undefined])
})
