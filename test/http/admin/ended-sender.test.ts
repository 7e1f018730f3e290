import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { OperatorApi } from '../../../src/http/dashboard/operator-api.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../../twin.ts'
import { ask, makeApp } from '../oauth/support.ts'
import { asOperator, contents } from '../support.ts'

let twin: Twin
const ids: Record<string, string> = {}
beforeAll(async () => {
  twin = await startTwin()
  const make = async (path: string, body: Body = {}) => (await asOperator(twin)('POST', path, body)).body.id
  ids.endpoint = await make('webhooks', { url: 'http://127.0.0.1:9/' })
  await makeCustomer(twin)
  const [event] = await twin.events()
  ids.event = event?.id
  ids.key = await make('keys')
  const app = await makeApp(twin)
  ids.app = app.id
  ids.authorization = (await ask(twin, app)).id
  ids.merchant = await make('merchants', { name: 'Other', clock: 1 })
  ids.default = twin.sandbox.merchant.settings.id
  ids.snapshot = await make('snapshots', { name: 'one' })
  ids.fault = await make('faults', { kind: 'decline' })
})
afterAll(() => twin.close())

/** All that the operator can change. */
async function state(): Promise<unknown> {
  const paths = ['keys', 'merchants', 'webhooks?merchant=$default', 'apps', 'authorizations', 'snapshots']
  const lists = [...paths, 'faults', 'clock'].map(async (path) => {
    const { data } = (await asOperator(twin)('GET', withIds(path))).body
    return data.map((each: Body) => ({ ...each, last_used: null }))
  })
  return [await contents(twin), ...(await Promise.all(lists))]
}

const withIds = (path: string) => path.replace(/\$(\w+)/g, (_, name) => ids[name] ?? '')
const send = (session: AbortSignal, method: string, path: string, params: Body) => {
  const api = new OperatorApi(twin.sandbox.app, twin.sandbox.adminToken, session)
  return method === 'DELETE' ? api.delete(withIds(path), params) : api.postJson(withIds(path), params)
}

/** Writes that run at once: they never wait. */
const IMMEDIATE: readonly [string, string, Body?][] = [
  ['POST', 'faults', { kind: 'decline' }],
  ['DELETE', 'faults/$fault'],
  ['DELETE', 'faults'],
  ['DELETE', 'snapshots/$snapshot'],
  ['POST', 'clock/cancel', { all: true }],
  ['POST', 'dashboard/links'],
  ['POST', 'shutdown'],
]
const QUEUED: readonly [string, string, Body?][] = [
  ['POST', 'clock/advance', { all: true, by: '1d' }],
  ['POST', 'clock/freeze', { all: true }],
  ['POST', 'clock/unfreeze', { all: true }],
  ['POST', 'fixtures', { files: [{ name: 'a.json', content: { customers: [{ name: 'Eve' }] } }] }],
  ['POST', 'keys', { merchant: '$default' }],
  ['POST', 'keys/$key/revoke'],
  ['POST', 'merchants', { name: 'Third', clock: 1 }],
  ['POST', 'merchants/$merchant', { name: 'Renamed' }],
  ['DELETE', 'merchants/$merchant'],
  ['POST', 'webhooks', { url: 'http://127.0.0.1:9/', merchant: '$default' }],
  ['DELETE', 'webhooks/$endpoint'],
  ['POST', 'webhooks/retry', { all: true }],
  ['POST', 'webhooks/retry', { id: '$endpoint' }],
  ['POST', 'webhooks/$endpoint/resend'],
  ['POST', 'events/$event/resend'],
  ['POST', 'apps', { name: 'Other', redirect_uris: ['https://app.example/'] }],
  ['POST', 'apps/$app/rotate_secret'],
  ['DELETE', 'apps/$app'],
  ['POST', 'authorizations/$authorization/approve'],
  ['POST', 'authorizations/$authorization/deny'],
  ['POST', 'trigger', { type: 'customer.created', merchant: '$default' }],
  ['POST', 'snapshots', { name: 'two' }],
  ['POST', 'snapshots/$snapshot/restore'],
  ['POST', 'reset'],
]

test('the tables contain all writes of the admin API', () => {
  const pathOf = (path: string) => `/_paytwin/${path.replace(/\$\w+/, ':id')}`
  const listed = [...IMMEDIATE, ...QUEUED].map(([method, path]) => `${method} ${pathOf(path)}`)
  const writes = twin.sandbox.routes.filter(
    ({ method, audience }) => audience === 'operator' && method !== 'get',
  )
  expect([...new Set(listed)].sort()).toEqual(
    writes.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort(),
  )
})

test.each([...IMMEDIATE, ...QUEUED])(
  'a write of a session that has ended is refused: %s %s',
  async (method, path, params = {}) => {
    const before = await state()
    await expect(send(AbortSignal.abort(), method, path, params)).rejects.toThrow('The session has ended')
    expect(await state()).toEqual(before)
  },
)

const STEPS = ['command', 'operatorCommand', 'commandAll', 'runExclusively', 'deleteMerchant'] as const

test.each(QUEUED)(
  'a write whose session ends while its command waits is refused: %s %s',
  async (method, path, params = {}) => {
    const before = await state()
    const session = new AbortController()
    const { engine } = twin.sandbox
    onTestFinished(() => void vi.restoreAllMocks())
    for (const step of STEPS) {
      const submit = engine[step].bind(engine) as (...given: unknown[]) => Promise<never>
      vi.spyOn(engine, step).mockImplementation((...given: unknown[]) => {
        const result = submit(...given)
        session.abort()
        return result
      })
    }
    const named = JSON.parse(withIds(JSON.stringify(params)))
    await expect(send(session.signal, method, path, named)).rejects.toThrow('The session has ended')
    vi.restoreAllMocks()
    expect(await state()).toEqual(before)
  },
)
