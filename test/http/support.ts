import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { expect } from 'vitest'
import type { Body, Twin, TwinResponse } from '../twin.ts'

export const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** The expected fields of an error. Default: type invalid_request_error, status 400. */
export type Refusal = {
  readonly status?: number
  readonly type?: string
  readonly code: string
  readonly param: string | null
}

/** Checks a whole error body except its message. */
export function expectRefusal(response: TwinResponse, { status = 400, type, code, param }: Refusal): void {
  const { error, ...beside } = response.body
  const { message, doc_url, ...rest } = error ?? {}
  expect({ status: response.status, error: rest, beside }).toEqual({
    status,
    error: { type: type ?? 'invalid_request_error', code, param },
    beside: { livemode: false },
  })
  expect(message).toMatch(/\S/)
  expect(['undefined', 'string']).toContain(typeof doc_url)
}

export const invalid = (param: string | null): Refusal => ({ code: 'parameter_invalid', param })
export const missing = (param: string): Refusal => ({ code: 'parameter_missing', param })
export const unknown = (param: string | null = 'id'): Refusal => ({
  status: 404,
  code: 'resource_missing',
  param,
})
export const badState = (param: 'status' | null = 'status'): Refusal => ({
  code: 'invalid_state_transition',
  param,
})

/** Checks the body of the error for an invalid key. */
export function expectUnauthenticated(response: TwinResponse, message = 'Invalid API Key provided'): void {
  expect(response.status).toBe(401)
  expect(response.body).toEqual({ error: { type: 'authentication_error', message }, livemode: false })
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
}

const LISTS = [
  'customers',
  'products',
  'prices',
  'payment_methods',
  'subscriptions?status=all',
  'invoices',
  'payment_intents',
  'charges',
  'events',
  'test_helpers/upcoming',
]

/** Returns the state of a merchant: the newest of every list, and its clock. */
export async function contents(twin: Twin): Promise<Body> {
  const all: Body = { clock: await twin.get('/v1/test_helpers/clock') }
  for (const name of LISTS) {
    all[name] = (await twin.get(`/v1/${name}${name.includes('?') ? '&' : '?'}limit=100`)).data
  }
  return all
}

/** Runs work that must leave the state unchanged. */
export async function unchanged<T>(twin: Twin, act: () => Promise<T>): Promise<T> {
  const before = await contents(twin)
  const result = await act()
  expect(await contents(twin)).toEqual(before)
  return result
}

/** Sends a request that must fail and write nothing. */
export async function expectRefused(
  twin: Twin,
  [method, path, body, headers]: readonly [string, string, unknown?, Record<string, string>?],
  refusal: Refusal,
): Promise<TwinResponse> {
  const response = await unchanged(twin, () => twin.request(method, path, body, headers))
  expectRefusal(response, refusal)
  return response
}

/** Makes rows of a table with one column, whose values may be lists. */
export const rows = <T>(...values: readonly T[]): [T][] => values.map((value) => [value])

/** Formats nested parameters as form pairs: `items[0][price]=…`. */
export function toForm(params: Body, { percentEncoded = false } = {}): string {
  const pairs: string[] = []
  const add = (name: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, child] of Object.entries(value)) add(name === '' ? key : `${name}[${key}]`, child)
      return
    }
    const key = percentEncoded ? encodeURIComponent(name) : name
    pairs.push(`${key}=${encodeURIComponent(value === null ? '' : String(value))}`)
  }
  add('', params)
  return pairs.join('&')
}

export const postForm = (twin: Twin, path: string, form: Body | string): Promise<TwinResponse> =>
  twin.request('POST', path, typeof form === 'string' ? form : toForm(form), FORM)

/** Sends requests to the admin API; paths are relative to /_paytwin. */
export const asOperator =
  (twin: Twin) =>
  (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TwinResponse> =>
    twin.request(method, `/_paytwin/${path}`, body, {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost:4242',
      ...headers,
    })

/** Creates a further merchant, with its own client. */
export async function anotherMerchant(
  twin: Twin,
  clock: string | number = '2026-01-31T10:00:00Z',
): Promise<{ merchant: Body; secretKey: string }> {
  const operator = asOperator(twin)
  const { body: merchant } = await operator('POST', 'merchants', { name: 'Other', clock })
  const { body: key } = await operator('POST', 'keys', { merchant: merchant.id })
  return { merchant, secretKey: key.secret }
}

export const typesOf = (events: readonly Body[]): string[] => events.map(({ type }) => type)
export const idsOf = (objects: readonly Body[]): string[] => objects.map(({ id }) => id)

/** Returns the events of a step, oldest first. */
export async function eventsOf(twin: Twin, step: () => Promise<unknown>): Promise<Body[]> {
  const known = new Set(idsOf((await twin.get('/v1/events?limit=100')).data))
  await step()
  const { data } = await twin.get('/v1/events?limit=100')
  return data.filter(({ id }: Body) => !known.has(id)).reverse()
}

/** A live stream of events under test. */
export type Stream = {
  /** Resolves to the next events, as they were received. */
  take(count: number): Promise<{ event: string | undefined; id: string | undefined; data: Body }[]>
  /** The response, with its headers. */
  readonly response: Response
  close(): Promise<void>
}

/** Opens a stream of events; with an admin token, of the admin API. */
export async function openStream(
  twin: Twin,
  path = '/v1/events',
  headers: Record<string, string> = {},
): Promise<Stream> {
  const response = await twin.sandbox.app.request(path, {
    headers: { Authorization: `Bearer ${twin.secretKey}`, Accept: 'text/event-stream', ...headers },
  })
  if (response.status !== 200 || !response.body)
    throw new Error(`${response.status} ${await response.text()}`)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const heard: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => heard.push(event) })
  return {
    response,
    take: async (count) => {
      while (heard.length < count) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`the stream ended after ${heard.length} of ${count} events`)
        parser.feed(decoder.decode(value, { stream: true }))
      }
      return heard.splice(0, count).map(({ event, id, data }) => ({ event, id, data: JSON.parse(data) }))
    },
    close: () => reader.cancel(),
  }
}
