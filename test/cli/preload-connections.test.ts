import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
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
  const tunnel = (host) => 'CONNECT ' + host + ':443 HTTP/1.1\\r\\n\\r\\n'
  const main = async () => {
    for (const make of [String, Buffer.from, (text) => new TextEncoder().encode(text)])
      for (const method of ['write', 'end'])
        for (const host of ['api.stripe.com', 'other.example'])
          await send((socket) => socket[method](make(tunnel(host))))
  }
  main()`

/** Writes texts that name hosts of Stripe, and requests for them where no proxy is, and prints what arrived. */
const OTHERS = `
  const http = require('node:http')
  const net = require('node:net')
  const { once } = require('node:events')
  const { spawn } = require('node:child_process')
  const textOf = async (stream) => Buffer.concat(await stream.toArray()).toString()
  const listening = async (server, ...at) => once(server.listen(...at), 'listening')
  const main = async (folder) => {
    const texts = ['GET https://api.stripe.com/v1/customers 200', 'GET https://api.stripe.com/v1/customers HTTP/1.1\\r\\n']
    for (const text of texts) {
      console.log(text)
      const child = spawn('cat')
      child.stdin.write(text)
      child.stdin.end(text)
      console.log('child', await textOf(child.stdout))
      const server = http.createServer(async (request, response) => {
        await textOf(request)
        response.flushHeaders()
        response.end(Buffer.from(text))
      })
      await listening(server, 0, '127.0.0.1')
      const request = http.request({ port: server.address().port, host: '127.0.0.1', method: 'POST' })
      request.flushHeaders()
      await once(request, 'socket').then(([socket]) => socket.connecting && once(socket, 'connect'))
      request.end(text)
      const [response] = await once(request, 'response')
      console.log('response', await textOf(response))
      server.close().closeAllConnections()
      for (const at of [[0, '127.0.0.1'], [folder + '/socket']]) {
        const collector = net.createServer()
        await listening(collector, ...at)
        const address = collector.address()
        const socket = net.connect(address.port ? address : { path: address })
        const [peer] = await once(collector, 'connection')
        if (address.port) socket.write('first ')
        socket.write('')
        socket.end(text)
        console.log('collector', await textOf(peer.on('end', () => peer.end())))
        collector.close()
      }
    }
    const server = net.createServer((peer) => peer.end(texts[1]))
    await listening(server, 0, '127.0.0.1')
    console.log('accepted', await textOf(net.connect(server.address())))
    const first = net.connect(server.address())
    first.end(texts[0])
    console.log('first', await textOf(first))
    server.close()
    console.error(texts[1])
  }
  main(process.argv[1])`

test('other data that names a host of Stripe arrives', async () => {
  const env = { ...process.env, ...nodeVariables(resolve('dist/stripe-preload.cjs')) }
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-'))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', OTHERS, folder], { env })
  rmSync(folder, { recursive: true })
  const line = 'GET https://api.stripe.com/v1/customers HTTP/1.1\r\n'
  const arrived = ['GET https://api.stripe.com/v1/customers 200', line].flatMap((text) => [
    ...[text, `child ${text}${text}`, `response ${text}`, `collector first ${text}`, `collector ${text}`],
  ])
  expect({ stdout, stderr }).toEqual({
    stdout: [...arrived, `accepted ${line}`, `first ${line}`, ''].join('\n'),
    stderr: `${line}\n`,
  })
})

test('a request to a proxy for a host of Stripe is refused, as text and as bytes', async () => {
  const env = { ...process.env, ...nodeVariables(resolve('dist/stripe-preload.cjs')) }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROGRAM], { env })
  const results = stdout.trim().split('\n')
  expect(results.map((line) => JSON.parse(line))).toEqual(
    Array.from({ length: 6 }, () => [
      { received: '', message: expect.stringMatching(/^paytwin did not connect to api\.stripe\.com/) },
      { received: 'CONNECT other.example:443 HTTP/1.1\r\n\r\n', message: null },
    ]).flat(),
  )
})

/** Sends requests to a proxy with Node's undici, on one connection, and prints what the proxy received and the errors. */
const KEPT_OPEN = `
  const http = require('node:http')
  const { once } = require('node:events')
  const main = async () => {
    const received = []
    let connections = 0
    const proxy = http.createServer((request, response) => {
      received.push(request.url)
      response.end()
    }).on('connection', () => { connections += 1 }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const origin = 'http://127.0.0.1:' + proxy.address().port
    await fetch('data:,') // Loads undici.
    const { constructor: Agent } = globalThis[Symbol.for('undici.globalDispatcher.1')]
    const dispatcher = new Agent({ connections: 1 })
    const send = (path) => new Promise((done) => dispatcher.dispatch({ origin, path, method: 'GET' }, {
      onConnect() {},
      onHeaders: () => true,
      onData: () => true,
      onComplete: () => done(null),
      onError: ({ message }) => done(message.split(':')[0]),
    }))
    const errors = []
    for (const path of ['http://other.example/', 'http://other.example/more', 'http://api.stripe.com/v1/customers'])
      errors.push(await send(path))
    console.log(JSON.stringify({ received, errors, connections }))
    process.exit()
  }
  main()`

/** Asks a proxy for a page with Node's http, then on the same connection for a tunnel, and prints what the proxy received. */
const TUNNEL = `
  const http = require('node:http')
  const { once } = require('node:events')
  const main = async () => {
    const received = []
    const proxy = http.createServer((request, response) => {
      received.push(request.url)
      response.end()
    }).on('connect', ({ url }, socket) => {
      received.push(url)
      socket.end('HTTP/1.1 200 OK\\r\\n\\r\\n')
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const to = { host: '127.0.0.1', port: proxy.address().port, agent }
    const [response] = await once(http.get({ ...to, path: 'http://other.example/' }), 'response')
    await once(response.resume(), 'end')
    const ask = (path) => new Promise((done) => {
      const request = http.request({ ...to, method: 'CONNECT', path }).end()
      request.on('error', ({ message }) => done(message.split(':')[0]))
      request.on('connect', (_, socket) => done(socket.destroy() && null))
    })
    const errors = [await ask('api.stripe.com:443'), await ask('other.example:443')]
    process.stdout.write(JSON.stringify({ received, errors }), () => process.exit())
  }
  main()
`

test('a tunnel through a proxy is refused, also on a connection of node:http that is kept open', async () => {
  const env = { ...process.env, ...nodeVariables(resolve('dist/stripe-preload.cjs')) }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', TUNNEL], { env })
  expect(JSON.parse(stdout)).toEqual({
    received: ['http://other.example/', 'other.example:443'],
    errors: ['paytwin did not connect to api.stripe.com', null],
  })
})

test('a request to a proxy on a connection that is kept open is refused', async () => {
  const env = { ...process.env, ...nodeVariables(resolve('dist/stripe-preload.cjs')) }
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', KEPT_OPEN], { env })
  expect(JSON.parse(stdout)).toEqual({
    received: ['http://other.example/', 'http://other.example/more'],
    errors: [null, null, 'paytwin did not connect to api.stripe.com'],
    connections: 1,
  })
})
