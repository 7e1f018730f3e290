// Loads the library with replaceable globals, as jest does, and prints which of them it reads after it was loaded.
const { readFileSync } = require('node:fs')
const timers = require('node:timers/promises')
const { compileFunction } = require('node:vm')
const { createRequire } = require('node:module')
const { connect } = require('node:net')

const GLOBALS = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
]
let isLoaded = false
const read = new Set()

/** Returns an object whose properties are those of another one. Reads of those with these names are recorded. */
const recording = (object, names) =>
  new Proxy(object, {
    get: (target, name) => {
      if (isLoaded && names.includes(name)) read.add(name)
      return target[name]
    },
  })

const names = [...GLOBALS, 'queueMicrotask']
const environment = recording(globalThis, names)
const process = recording(globalThis.process, ['nextTick', 'hrtime'])
const scope = { process, globalThis: environment }
for (const name of names) Object.defineProperty(scope, name, { get: () => environment[name] })

const file = require.resolve('paytwin')
const required = createRequire(file)
const requireRecorded = (name) =>
  /timers/.test(name) ? recording(required(name), Object.keys(timers)) : required(name)
const library = { exports: {} }
compileFunction(readFileSync(file, 'utf8'), ['require', 'module', 'exports', '__filename'], {
  contextExtensions: [scope],
})(requireRecorded, library, library.exports, file)

async function main() {
  const twin = await library.exports.createPaytwin()
  await twin.webhooks.create()
  isLoaded = true
  await twin.trigger('invoice.payment_failed')
  await twin.clock.advance('1y', { awaitWebhooks: true })
  await twin.snapshots.save('first')
  await twin.snapshots.restore('first')
  await twin.events.waitFor('refund.failed', { timeout: 20 }).catch(() => undefined)
  await pipelined(new URL(twin.url), 1_100)
  await endWithOpenRequest(twin)
  console.log(JSON.stringify([...read]))
}

/** Sends requests over one connection at once, and reads all responses. */
const pipelined = ({ host, hostname, port }, count) =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    socket.setEncoding('latin1').on('data', (part) => {
      text += part
      if (text.split('HTTP/1.1 ').length > count) socket.end()
    })
    socket.once('close', resolve)
    socket.write(`GET /_paytwin/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(count))
  })

/** Closes the sandbox while the body of a request does not arrive, which holds the end back. */
async function endWithOpenRequest(twin) {
  const { host, hostname, port } = new URL(twin.url)
  const socket = connect(Number(port), hostname)
  const head = [
    'POST /v1/customers HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${twin.secretKey}`,
    'Content-Length: 9',
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // "100 Continue"
  await new Promise((resolve) => socket.once('data', resolve))
  await twin.close()
  socket.destroy()
}

main()
