import { parseInstant } from '../src/core/calendar.ts'
import { openSandbox, type Sandbox, type SandboxOptions } from '../src/daemon/sandbox.ts'
import type { Documentation } from '../src/http/admin/services.ts'
import { expectDescribed } from './described.ts'

// biome-ignore lint/suspicious/noExplicitAny: responses are checked by what tests expect of them
export type Body = Record<string, any>

export type TwinResponse = { readonly status: number; readonly body: Body; readonly headers: Headers }

/** A sandbox in memory with a frozen clock, and a client that speaks to it without a socket. */
export type Twin = {
  readonly sandbox: Sandbox
  readonly secretKey: string
  /** Any request, with the default key unless another Authorization is given. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TwinResponse>
  /** A request that must succeed. */
  get(path: string): Promise<Body>
  post(path: string, body?: unknown): Promise<Body>
  delete(path: string, body?: unknown): Promise<Body>
  /** Moves the clock and answers what the advance did. */
  advance(params: Body): Promise<Body>
  /** All events, oldest first. */
  events(query?: string): Promise<Body[]>
  close(): Promise<void>
}

let made: Promise<Documentation> | undefined

/** The documentation as the build would make it from these sources. It is made once. */
function documentation(): Promise<Documentation> {
  made ??= import('../src/build/documentation.ts').then(({ makeDocumentation }) => makeDocumentation())
  return made
}

export const DEFAULT_NOW = '2026-01-31T10:00:00Z'

export async function startTwin({
  now = DEFAULT_NOW,
  ...options
}: Partial<SandboxOptions> & { now?: string } = {}): Promise<Twin> {
  const sandbox = await openSandbox({
    database: ':memory:',
    clock: parseInstant(now) ?? 'live',
    seed: '1',
    documentation,
    ...options,
  })
  return clientOf(sandbox, options.secretKey ?? sandbox.secretKey ?? '')
}

/** A client of a sandbox with one key. */
export function clientOf(sandbox: Sandbox, secretKey: string): Twin {
  const request: Twin['request'] = async (method, path, body, headers = {}) => {
    const response = await sandbox.app.request(path, {
      method,
      headers: {
        Authorization: `Bearer ${secretKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const parsed = {
      status: response.status,
      body: text === '' ? {} : JSON.parse(text),
      headers: response.headers,
    }
    if (text !== '') expectDescribed(sandbox, { method, path }, parsed)
    return parsed
  }
  const succeed = async (method: string, path: string, body?: unknown): Promise<Body> => {
    const response = await request(method, path, body)
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
    return response.body
  }
  const events = async (query = '') => {
    const all: Body[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${all.at(-1)?.id}`) {
      const page = await succeed('GET', `/v1/events?limit=100${query}${cursor}`)
      all.push(...page.data)
      if (!page.has_more) return all.reverse()
    }
  }
  return {
    sandbox,
    secretKey,
    request,
    events,
    get: (path) => succeed('GET', path),
    post: (path, body = {}) => succeed('POST', path, body),
    delete: (path, body) => succeed('DELETE', path, body),
    advance: (params) => succeed('POST', '/v1/test_helpers/clock/advance', params),
    close: () => sandbox.close(),
  }
}

/** Creates a price; by default a monthly price of 20.00 USD. */
export const makePrice = (twin: Twin, params: Body = {}): Promise<Body> =>
  twin.post('/v1/prices', { unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' }, ...params })

/** A customer with an attached card; `outcomes` scripts it. */
export async function makeCustomer(
  twin: Twin,
  { card = 'pm_card_visa', outcomes, then }: { card?: string; outcomes?: string[]; then?: string } = {},
) {
  const customer = await twin.post('/v1/customers', { name: 'Ada' })
  const method = await twin.post(`/v1/payment_methods/${card}/attach`, { customer: customer.id })
  if (outcomes) {
    const script = { outcomes, ...(then !== undefined && { then }) }
    await twin.post(`/v1/test_helpers/payment_methods/${method.id}/outcomes`, script)
  }
  return { customer, method }
}
