import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { paytwin, startDaemon, temporaryFolder } from './executable.ts'

const folder = temporaryFolder()
const data = join(folder.path, 'data')
let ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending) await end()
  ending = []
  folder.remove()
})

test("a process that takes the port of a killed daemon never gets the folder's token", async () => {
  const daemon = await startDaemon(['--data', data])
  expect((await paytwin(['status', '--data', data])).status).toBe(0)
  await daemon.stop('SIGKILL')

  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`)
    request.on('data', (chunk) => heard.push(String(chunk)))
    response.end(JSON.stringify({ status: 'ok', proof: 'ab'.repeat(32), livemode: false }))
  }).listen(Number(new URL(daemon.url).port), '127.0.0.1')
  await once(server, 'listening')
  ending.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  })
  for (const command of [['status'], ['stop'], ['keys', 'create'], ['events', 'list'], ['clock', 'next']]) {
    const { status, stdout, stderr } = await paytwin([...command, '--data', data])
    expect([status, stdout], command.join(' ')).toEqual([3, ''])
    expect(stderr).toContain('does not know the admin token; the token was not sent')
  }
  const token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  expect(heard).toHaveLength(5)
  expect(heard.join('\n')).not.toContain(token)
  expect(heard.every((line) => line.startsWith('GET /_paytwin/health?nonce='))).toBe(true)
})

test("a daemon that uses another token than its folder's is reported", async () => {
  await (await startDaemon(['--data', data])).stop()
  const other = 'another-token-of-at-least-32-characters'
  const daemon = await startDaemon(['--data', data], { env: { PAYTWIN_ADMIN_TOKEN: other } })
  ending.push(() => daemon.stop())
  const { status, stderr } = await paytwin(['status', '--data', data])
  expect([status, stderr]).toEqual([3, expect.stringContaining('set PAYTWIN_ADMIN_TOKEN')])
  const chosen = await paytwin(['status', '--data', data], { env: { PAYTWIN_ADMIN_TOKEN: other } })
  expect(chosen.status).toBe(0)
})
