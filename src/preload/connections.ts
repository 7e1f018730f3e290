import type { Socket } from 'node:net'
import { refusalOf, wholeUrlOf } from './sandbox.ts'

// Their properties are replaced, so these must be the modules themselves.
const dns = process.getBuiltinModule('node:dns')
const net = process.getBuiltinModule('node:net')
const tls = process.getBuiltinModule('node:tls')
const { subscribe } = process.getBuiltinModule('node:diagnostics_channel')
const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')

/**
 * Refuses connections to Stripe's API that are not redirected, such as those of node:http2 and of the package undici: lookups of
 * its hosts, tunnels to them, and requests for them to a proxy.
 */
export function refuseConnections(): void {
  dns.lookup = new Proxy(dns.lookup, {
    apply: (original, self, given: unknown[]) => {
      const error = refusalOf(String(given[0]))
      if (!error) return Reflect.apply(original, self, given)
      const done = given.at(-1)
      if (typeof done !== 'function') throw error
      process.nextTick(() => done(error))
    },
  })
  tls.connect = new Proxy(tls.connect, {
    apply: (original, self, given: unknown[]) => {
      const [error] = given.filter(hasServername).flatMap(({ servername }) => refusalOf(servername) ?? [])
      if (!error) return Reflect.apply(original, self, given)
      // Callers such as node:http2 listen to the socket.
      const socket = new tls.TLSSocket(new net.Socket())
      process.nextTick(() => socket.destroy(error))
      return socket
    },
  })
  refuseRequestsToProxies()
  syncBuiltinESMExports()
}

/** Destroys connections on which a request to a proxy for one of the hosts is written. */
function refuseRequestsToProxies(): void {
  // Standard streams, pipes and accepted connections have the same methods, but are never connected. They carry any text.
  const unwritten = new WeakSet<Socket>()
  const refusesFirst = (socket: Socket, chunk: unknown): boolean => {
    const text = textOf(chunk)
    if (text === '') return false
    unwritten.delete(socket)
    return refuseRequest(socket, text)
  }
  replace('connect', (connect, socket, given) => {
    if (!isPath(given[0])) unwritten.add(socket)
    return Reflect.apply(connect, socket, given)
  })
  for (const name of ['write', 'end'] as const)
    replace(name, (write, socket, given) => {
      if (!unwritten.has(socket) || !refusesFirst(socket, given[0]))
        return Reflect.apply(write, socket, given)
      return name === 'end' ? socket : false
    })
  // Later requests on a connection that is kept open. Those of node:http are redirected, or refused by themselves.
  subscribe('undici:client:sendHeaders', (message) => {
    const { socket, headers } = message as { readonly socket: Socket; readonly headers: string }
    refuseRequest(socket, headers)
  })
}

type Method = (...given: unknown[]) => unknown

/** Replaces a method of all sockets. @param call - calls the original if the socket may do so */
function replace(
  name: 'connect' | 'write' | 'end',
  call: (original: Method, socket: Socket, given: unknown[]) => unknown,
): void {
  const value = new Proxy(net.Socket.prototype[name] as Method, { apply: call })
  const writable = { configurable: true, enumerable: false, writable: true }
  Object.defineProperty(net.Socket.prototype, name, { ...writable, value })
}

const hasServername = (given: unknown): given is { servername: string } =>
  typeof given === 'object' && given !== null && 'servername' in given && typeof given.servername === 'string'

/** Reports whether `connect` is given a path in place of a port, as Node decides it: in options, in a list with options, or alone. */
function isPath(given: unknown): boolean {
  const to: unknown = Array.isArray(given) ? given[0] : given
  if (typeof to === 'object' && to !== null) return 'path' in to && Boolean(to.path)
  return typeof to === 'string' && !(Number(to) >= 0)
}

/** Destroys a socket if the text that is written begins a request to a proxy for one of the hosts. @returns whether it does */
function refuseRequest(socket: Socket, text: string): boolean {
  const error = refusalOf(hostAskedOfProxy(text))
  if (error) socket.destroy(error)
  return error !== undefined
}

/** The number of bytes in which the first line of a request is looked for. */
const LINE_BYTES = 16_384

/** Returns the beginning of written data; empty for none. */
function textOf(chunk: unknown): string {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.subarray(0, LINE_BYTES)).toString('latin1')
  return typeof chunk === 'string' ? chunk.slice(0, LINE_BYTES) : ''
}

/** Returns the host that a request to a proxy names, by CONNECT or by a whole URL; empty for other texts. */
function hostAskedOfProxy(text: string): string {
  const [, method, target = ''] = /^([A-Z]+) (\S+) HTTP\/1\.\d\r\n/.exec(text) ?? []
  return method === 'CONNECT' ? target : (wholeUrlOf(target)?.host ?? '')
}
