import { recordExamples } from '../../src/http/openapi/story.ts'
import type { Registered } from '../../src/http/route.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox.ts'

const NOW = 1_769_853_600
const KEY = 'sk_test_51SecretSecretSecretSecretSe'

/** A request as it can be sent to the application. */
export type Sent = {
  readonly path: string
  readonly init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
}

/** A sandbox in which the story of the API's description was played, so that nearly all its requests can be sent again. */
export type Played = {
  readonly sandbox: Sandbox
  /** The first request that was sent to a route; where none was, one without parameters and with ids that nothing has. */
  readonly requestTo: (route: Registered) => Sent
}

/** Plays the story up to where it takes the state away. */
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

/** @param note - is shown every request before it is sent */
const specimenOf = (sandbox: Sandbox, note: (request: Sent) => void = () => {}) => ({
  request: (path: string, init: RequestInit) => {
    note({ path, init: init as Sent['init'] })
    return sandbox.app.request(path, init)
  },
  secretKey: KEY,
  adminToken: sandbox.adminToken,
  // Whoever opened it closes it.
  close: async () => {},
})

function remember(sandbox: Sandbox, known: Map<Registered, Sent>, { path, init }: Sent): void {
  const { method = 'GET' } = init
  if (path === '/_paytwin/snapshots' && method === 'POST') throw new StateTakenAway()
  const [plain = ''] = path.split('?')
  const route = sandbox.routes
    .filter((one) => one.method === method.toLowerCase() && patternOf(one).test(plain))
    // A path that is spelled out goes before one with an id in its place.
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
