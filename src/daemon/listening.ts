import { BlockList, createServer, isIP, type Server } from 'node:net'
import { type LookUp, LookupProcesses } from '../webhooks/lookup-processes.ts'
import { StartRefused } from './start-refused.ts'

/** The time limit for looking up the name of a host, in milliseconds. */
const LOOKUP_MS = 5_000
const LOCALHOST = 'localhost'
const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
/** Addresses that are valid only together with a network interface, which a name does not have: fe80::/10. */
const LINK_LOCAL = /^fe[89ab]/i

type Wanted = { readonly host: string; readonly port: number }
/** Where to listen: the wanted host and port, and the host's address. */
export type Place = Wanted & { readonly address: string }

/**
 * Whether only this machine can reach a place. The address decides: a name such as 127.0.0.256 can have any. One with a network interface
 * (`::1%lo`) or an IPv4 address within it (`::ffff:127.0.0.1`) does not count: clients know such a daemon by another address.
 */
export function isLoopback({ address }: Pick<Place, 'address'>): boolean {
  if (isIP(address) !== 6) return address === LOCALHOST || LOOPBACK.check(address)
  const url = `http://[${address}]`
  return URL.canParse(url) && new URL(url).hostname === '[::1]'
}

/** Finds the address of the host on which to listen. @throws StartRefused */
export async function placeOf({ host, port }: Wanted, lookUp?: LookUp): Promise<Place> {
  try {
    return { host, port, address: await addressOf(host, lookUp) }
  } catch (error) {
    throw toRefusal({ host, port }, error as Error)
  }
}

/** Checks the port before a new database is created: a failed start would never show the generated key. @throws StartRefused */
export async function checkPort(place: Place): Promise<void> {
  const probe = await listening(createServer(), place)
  await new Promise((done) => probe.close(done))
}

/** Starts to listen. @throws StartRefused */
export function listening<S extends Server>(server: S, place: Place): Promise<S> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toRefusal(place, error)))
    server.listen(place.port, place.address, () => resolve(server))
  })
}

const toRefusal = ({ host, port }: Wanted, { code, message }: NodeJS.ErrnoException) =>
  new StartRefused(
    1,
    code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use. Give another port with --port, or --port 0 for any free port.`
      : `Cannot listen on ${host}:${port}: ${message}`,
  )

/**
 * Returns the address of a host. A name is looked up in another process: this one could not end while a silent name server is asked.
 * `localhost` needs no name server, and a process would delay the start.
 * @throws Error when it has none, or is not found in time
 */
async function addressOf(host: string, lookUp?: LookUp): Promise<string> {
  if (isIP(host) !== 0 || host === LOCALHOST) return host
  const processes = new LookupProcesses()
  const limit = new AbortController()
  const late = new Error(`${host} could not be looked up within ${LOOKUP_MS / 1_000} seconds`)
  // Nothing else keeps this process alive meanwhile.
  const timer = setTimeout(() => limit.abort(late), LOOKUP_MS)
  try {
    const found = await (lookUp ?? processes.lookUp)(host, limit.signal)
    const usable = found.find(({ address }) => !LINK_LOCAL.test(address)) ?? found[0]
    if (usable === undefined) throw new Error(`${host} has no address`)
    return usable.address
  } finally {
    clearTimeout(timer)
    processes.close()
  }
}
