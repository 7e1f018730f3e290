import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { preloadedWith } from './preloaded.ts'

/** Begins a response to the path /begins, and leaves others without one. */
const server = createServer(({ url }, response) => {
  if (url === '/begins') response.write('one')
  arrived()
})
let arrived = () => {}
const env = preloadedWith(server)

const PROGRAM = `
  const collected = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      gc()
      await new Promise(setImmediate)
    }
  }
  const begun = async (path, signal) => (await fetch(new Request('https://api.stripe.com' + path, { signal }))).text()
  const main = async (path) => {
    const ended = new AbortController()
    const text = begun(path, ended.signal).then(() => 'complete', ({ name }) => name)
    // The test says that the request has arrived.
    await new Promise((arrived) => process.stdin.once('data', arrived))
    await collected()
    ended.abort()
    console.log(await text)
    process.exit()
  }
  main(process.argv[1])`

const BODIES = `
  const send = (pull, signal) =>
    fetch('https://api.stripe.com/begins', { method: 'POST', body: new ReadableStream({ pull }), duplex: 'half', signal })
  const failed = ({ name, cause }) => name + (cause ? ' ' + cause.message : '')
  const main = async () => {
    const ended = new AbortController()
    const endless = send(() => new Promise(() => {}), ended.signal).catch(failed)
    ended.abort()
    console.log(await endless)
    console.log(await send((body) => body.error(new Error('torn'))).catch(failed))
    process.exit()
  }
  main()`

test('fetch with a body that does not end, or fails, is rejected as by Node', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', BODIES], {
    env: env(),
    timeout: 10_000,
  })
  expect(stdout).toBe('AbortError\nTypeError torn\n')
})

test.each(['/begins', '/waits'])(
  'fetch of %s ends with its signal, also after a garbage collection',
  async (path) => {
    const args = ['--expose-gc', '-e', PROGRAM, path]
    const running = promisify(execFile)(process.execPath, args, { env: env(), timeout: 10_000 })
    arrived = () => void running.child.stdin?.write('arrived')
    expect((await running).stdout).toBe('AbortError\n')
  },
)
