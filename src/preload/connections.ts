import type { Socket } from 'node:net'
import { refuseHost } from './sandbox.ts'

// Their properties are replaced, so these must be the modules themselves.
const dns = process.getBuiltinModule('node:dns')
const net = process.getBuiltinModule('node:net')
const tls = process.getBuiltinModule('node:tls')
const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')

/**
 * Refuses connections to Stripe's API that are not redirected, such as those of node:http2 and of the package undici: lookups of
 * its hosts, tunnels to them, and requests for them to a proxy.
 */
export function refuseConnections(): void {
  dns.lookup = new Proxy(dns.lookup, {
    apply: (original, self, given: unknown[]) => {
      const done = given.at(-1)
      try {
        refuseHost(String(given[0]))
      } catch (error) {
        if (typeof done !== 'function') throw error
        process.nextTick(() => done(error))
        return
      }
      return Reflect.apply(original, self, given)
    },
  })
  tls.connect = new Proxy(tls.connect, {
    apply: (original, self, given: unknown[]) => {
      try {
        for (const each of given) if (hasServername(each)) refuseHost(each.servername)
      } catch (error) {
        // Callers such as node:http2 listen to the socket.
        const socket = new tls.TLSSocket(new net.Socket())
        process.nextTick(() => socket.destroy(error as Error))
        return socket
      }
      return Reflect.apply(original, self, given)
    },
  })
  guard('write', () => false)
  guard('end', (socket) => socket)
  syncBuiltinESMExports()
}

/** Destroys sockets on which a method begins a request to a proxy for one of the hosts. @param refused - returns its result then */
function guard(name: 'write' | 'end', refused: (socket: Socket) => unknown): void {
  const original = net.Socket.prototype[name]
  const guarded = function (this: Socket, ...given: unknown[]) {
    const host = hostAskedOfProxy(given[0])
    try {
      if (host !== undefined) refuseHost(host)
    } catch (error) {
      this.destroy(error as Error)
      return refused(this)
    }
    return Reflect.apply(original, this, given)
  }
  const writable = { configurable: true, enumerable: false, writable: true }
  Object.defineProperty(net.Socket.prototype, name, { ...writable, value: guarded })
}

/** The number of bytes in which the first line of a request is looked for. */
const LINE_BYTES = 4_096

const hasServername = (given: unknown): given is { servername: string } =>
  typeof given === 'object' && given !== null && 'servername' in given && typeof given.servername === 'string'

/** Returns the host that a request to a proxy names, by CONNECT or by a whole URL; undefined for other data. */
function hostAskedOfProxy(chunk: unknown): string | undefined {
  const text =
    chunk instanceof Uint8Array ? Buffer.from(chunk.subarray(0, LINE_BYTES)).toString('latin1') : chunk
  if (typeof text !== 'string') return undefined
  const [, host] = /^(?:CONNECT +|[A-Z]+ +https?:\/\/(?:[^/@\s]*@)?)([^/\s?#]+)/i.exec(text) ?? []
  return host
}
