import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { nodeVariables } from '../../src/cli/daemon/run-environment.ts'

/** Sends requests to a proxy on this machine, and prints for each what the proxy received and the error. */
const PROGRAM = `
  const net = require('node:net')
  const { once } = require('node:events')
  const send = async (begin) => {
    let received = ''
    const proxy = net.createServer((peer) => {
      peer.on('data', (data) => { received += data }).on('error', () => {}).on('end', () => peer.end())
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const socket = net.connect(proxy.address().port, '127.0.0.1')
    let message = null
    socket.on('error', (error) => { message = error.message })
    begin(socket)
    socket.end()
    await new Promise((closed) => socket.resume().once('close', closed))
    proxy.close()
    console.log(JSON.stringify({ received, message }))
  }
  const tunnel = (host) => 'CONNECT ' + host + ':443 HTTP/1.1'
  const main = async () => {
    for (const make of [String, Buffer.from, (text) => new TextEncoder().encode(text)])
      for (const method of ['write', 'end'])
        for (const host of ['api.stripe.com', 'other.example'])
          await send((socket) => socket[method](make(tunnel(host))))
  }
  main()`

test('a request to a proxy for a host of Stripe is refused, as text and as bytes', async () => {
  const env = { ...process.env, ...nodeVariables(resolve('dist/stripe-preload.cjs')) }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM], { env })
  const results = stdout.trim().split('\n')
  expect(results.map((line) => JSON.parse(line))).toEqual(
    Array.from({ length: 6 }, () => [
      { received: '', message: expect.stringMatching(/^paytwin did not connect to api\.stripe\.com/) },
      { received: 'CONNECT other.example:443 HTTP/1.1', message: null },
    ]).flat(),
  )
})
