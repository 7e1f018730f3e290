import { createServer, isIP, type Server } from 'node:net'
import { type LookUp, LookupProcesses } from '../webhooks/lookup-processes.ts'
import { StartRefused } from './start-refused.ts'

/** The time limit for looking up the name of the host, in milliseconds. */
const LOOKUP_MS = 5_000

type Place = { readonly host: string; readonly port: number }

/** Checks the port before a new database is created: a failed start would never show the generated key. @throws StartRefused */
export async function checkPort(place: Place): Promise<void> {
  const probe = await listening(createServer(), place)
  await new Promise((done) => probe.close(done))
}

/** Starts to listen. @throws StartRefused */
export async function listening<S extends Server>(server: S, { host, port }: Place): Promise<S> {
  const refused = ({ code, message }: NodeJS.ErrnoException) =>
    new StartRefused(
      1,
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use. Give another port with --port, or --port 0 for any free port.`
        : `Cannot listen on ${host}:${port}: ${message}`,
    )
  const address = await addressOf(host).catch((error: Error) => {
    throw refused(error)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(refused(error)))
    server.listen(port, address, () => resolve(server))
  })
}

/**
 * Returns the address of a host. Its name is looked up in another process: this one could neither stop nor end while a silent name server
 * is asked.
 * @throws Error when it has none, or is not found in time
 */
export async function addressOf(host: string, lookUp?: LookUp): Promise<string> {
  if (isIP(host) !== 0 || host === 'localhost') return host
  const processes = new LookupProcesses()
  const limit = new AbortController()
  const late = new Error(`${host} could not be looked up within ${LOOKUP_MS / 1_000} seconds`)
  // The lookup alone does not keep this process alive.
  const timer = setTimeout(() => limit.abort(late), LOOKUP_MS)
  try {
    const [first] = await (lookUp ?? processes.lookUp)(host, limit.signal)
    return first?.address ?? host
  } finally {
    clearTimeout(timer)
    processes.close()
  }
}
