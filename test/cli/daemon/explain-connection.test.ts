import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { explainConnection } from '../../../src/cli/daemon/explain-connection.ts'
import { Unreachable } from '../../../src/client/errors.ts'
import { runHere } from '../command-line.ts'
import { paytwin, type RunningDaemon, startDaemon, temporaryFolder } from '../executable.ts'

const folder = temporaryFolder()
const data = join(folder.path, 'data')
let daemon: RunningDaemon | undefined
afterEach(async () => {
  await daemon?.stop()
  daemon = undefined
  folder.remove()
})

test('a killed daemon is still known from its data folder, which the error names', async () => {
  daemon = await startDaemon(['--data', data])
  await daemon.stop('SIGKILL')
  const { status, stderr } = await paytwin(['status'], { env: { PAYTWIN_DATA: 'data' }, cwd: folder.path })
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: `error: No paytwin daemon answers at ${daemon.url} (ECONNREFUSED). The data folder ${data} names this daemon, which was killed or does not answer. Start a daemon with 'paytwin start', or name another one with --data or --url.\n`,
  })
})

test('where no daemon is known, the error names the folder and the source of the URL', async () => {
  const url = 'http://127.0.0.1:9'
  const missing = await runHere(['status', '--url', url, '--data', join(folder.path, 'none')])
  expect(missing).toMatchObject({ status: 3, stderr: expect.stringContaining('The URL is that of --url. ') })
  const fromVariable = await runHere(['status'], { env: { PAYTWIN_URL: url } })
  expect(fromVariable.stderr).toContain('The URL is that of PAYTWIN_URL. ')
})

test('in a working folder that was deleted, the error names the data folder as it was given', () => {
  const deleted = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' })
  })
  onTestFinished(() => deleted.mockRestore())
  const url = 'http://127.0.0.1:9'
  const error = new Unreachable({ url, message: 'No paytwin daemon answers', isConnected: false })
  const explained = explainConnection(error, { url, token: null }, { data: 'none' }, { env: {} })
  expect(String(explained)).toContain('There is no data folder none, so the default URL was tried.')
})

test("a daemon of another data folder is not an 'invalid admin token'", async () => {
  daemon = await startDaemon(['--data', data])
  const { status, stderr } = await runHere(['status', '--url', daemon.url])
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `error: A paytwin daemon answers at ${daemon.url}, but no admin token for it was found. The URL is that of --url. Give its data folder with --data, or its token in PAYTWIN_ADMIN_TOKEN.\n`,
  })
})

test('the daemon of a data folder without its token was started with a token of its own', async () => {
  const file = join(folder.path, 'token')
  mkdirSync(folder.path)
  writeFileSync(file, 'a'.repeat(32))
  daemon = await startDaemon(['--data', data, '--admin-token-file', file])
  const { status, stderr } = await runHere(['stop', '--data', data])
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `error: The daemon of the data folder ${data} answers at ${daemon.url}, but requires another admin token: it was started with one of its own, or another daemon has its port. Set PAYTWIN_ADMIN_TOKEN to its token, or PAYTWIN_ADMIN_TOKEN_FILE to its --admin-token-file.\n`,
  })
})

test('another program on the port is said to be one', async () => {
  const server = createServer((_request, response) =>
    response.writeHead(401).end('{"error":{"message":"no"}}'),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { status, stderr } = await runHere(['status', '--url', url])
  server.close()
  expect({ status, stderr }).toEqual({
    status: 3,
    stderr: `error: The program at ${url} is not a paytwin daemon.\n`,
  })
})
