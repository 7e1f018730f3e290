import { openSandbox, type Sandbox } from '../../src/daemon/sandbox.ts'
import { recordExamples } from '../../src/http/openapi/story.ts'
import type { Registered } from '../../src/http/route.ts'

const NOW = 1_769_853_600
const KEY = 'sk_test_51SecretSecretSecretSecretSe'

/** A request that can be sent to the application. */
export type Sent = {
  readonly path: string
  readonly init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
}

/** A sandbox in which the examples were recorded, so that nearly all their requests can be sent again. */
export type Played = {
  readonly sandbox: Sandbox
  /** Returns the first request to a route; without one, a request without parameters and with unknown ids. */
  readonly requestTo: (route: Registered) => Sent
}

/** Records the examples, except those that remove the state. */
export async function openPlayed(): Promise<Played> {
  const sandbox = await open(false)
  const strict = await open(true)
  const sent = new Map<Registered, Sent>()
  const specimens = [specimenOf(strict), specimenOf(sandbox, (request) => remember(sandbox, sent, request))]
  const next = async () => specimens.pop() ?? specimenOf(strict)
  await recordExamples(sandbox.routes, next).catch((error: unknown) => {
    if (!(error instanceof StateTakenAway)) throw error
  })
  await strict.close()
  return { sandbox, requestTo: (route) => sent.get(route) ?? unplayed(sandbox, route) }
}

const open = (strictParams: boolean): Promise<Sandbox> =>
  openSandbox({
    database: ':memory:',
    clock: NOW,
    seed: '1',
    secretKey: KEY,
    wall: () => NOW * 1_000,
    send: async () => ({ status: 200, body: '' }),
    strictParams,
  })

class StateTakenAway extends Error {}

/** @param note - called with every request before it is sent */
const specimenOf = (sandbox: Sandbox, note: (request: Sent) => void = () => {}) => ({
  request: (path: string, init: RequestInit) => {
    note({ path, init: init as Sent['init'] })
    return sandbox.app.request(path, init)
  },
  secretKey: KEY,
  adminToken: sandbox.adminToken,
  // The caller that opened it closes it.
  close: async () => {},
})

function remember(sandbox: Sandbox, known: Map<Registered, Sent>, { path, init }: Sent): void {
  const { method = 'GET' } = init
  if (path === '/_paytwin/snapshots' && method === 'POST') throw new StateTakenAway()
  const [plain = ''] = path.split('?')
  const route = sandbox.routes
    .filter((one) => one.method === method.toLowerCase() && patternOf(one).test(plain))
    // Literal paths come before paths with an id.
    .sort((left, right) => Number(left.path.includes(':')) - Number(right.path.includes(':')))[0]
  if (route && !known.has(route)) known.set(route, { path, init: { ...init, method } })
}

const patternOf = ({ path }: Registered): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)

function unplayed({ adminToken }: Sandbox, { method, path }: Registered): Sent {
  const token = path.startsWith('/_paytwin/') ? adminToken : KEY
  return {
    path: path.replaceAll(/:\w+/g, 'unknown'),
    init: { method: method.toUpperCase(), headers: { Host: 'localhost', Authorization: `Bearer ${token}` } },
  }
}
