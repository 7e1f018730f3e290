import { refuseLookup } from './sandbox.ts'

// Its property is replaced, so this must be the module itself.
const dns = process.getBuiltinModule('node:dns')

/** Refuses connections to Stripe's API that are not redirected, such as those of node:http2 and of the package undici. */
export function refuseConnections(): void {
  dns.lookup = new Proxy(dns.lookup, {
    apply: (original, self, given: unknown[]) => {
      const done = given.at(-1)
      try {
        refuseLookup(String(given[0]))
      } catch (error) {
        if (typeof done !== 'function') throw error
        process.nextTick(() => done(error))
        return
      }
      return Reflect.apply(original, self, given)
    },
  })
}
