import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../../src/core/errors.ts'
import { openSandbox, type Sandbox } from '../../../src/daemon/sandbox.ts'
import { completeCheckout } from '../../../src/engine/resources/checkout-submission.ts'
import type { CacheSizes } from '../../../src/store/cache-sizes.ts'
import { typeErrorsIn } from '../../http/stripe/check-types.ts'
import type { Body } from '../../twin.ts'
import { ask, listAll, type TwinResponse } from '../client.ts'
import { Failure } from '../failure.ts'
import type { Submit } from './commands-checkout.ts'

/** The first instant of all clocks: a day that most months do not have, in the year before a leap year. */
export const BEGIN = Date.UTC(2027, 0, 31, 10) / 1000

const ADMIN_TOKEN = 'the-token-of-a-simulation-and-of-nothing-else'

/** A request of the application, as the SDK would send it. */
export type Request = { readonly method: string; readonly path: string; readonly params?: Body }

/** A merchant with the dialect stripe, and what a story has seen of it. */
export class Story {
  readonly sandbox: Sandbox
  /** The time of the main clock. */
  now = BEGIN
  /** All events as they were first read, oldest first. */
  readonly events: Body[] = []
  readonly #isTyped: boolean

  private constructor(sandbox: Sandbox, isTyped: boolean) {
    this.sandbox = sandbox
    this.#isTyped = isTyped
  }

  /** @param isTyped - whether each response is checked against the types of the SDK */
  static async open(
    seed: number,
    { cacheSizes, isTyped }: { cacheSizes?: CacheSizes | undefined; isTyped: boolean },
  ): Promise<Story> {
    const sandbox = await openSandbox({
      ...(cacheSizes && { cacheSizes }),
      database: ':memory:',
      dialect: 'stripe',
      clock: BEGIN,
      seed: String(seed),
      adminToken: ADMIN_TOKEN,
      reportError: (error) => {
        throw error
      },
    })
    return new Story(sandbox, isTyped)
  }

  /**
   * Sends a request with a form, and checks the response.
   * @throws Failure if the response is a failure of the server, or is neither an object nor an error of the SDK
   */
  async send({ method, path, params = {} }: Request): Promise<TwinResponse> {
    const form = new URLSearchParams(formOf(params))
    const response = await this.sandbox.app.request(path, {
      method,
      headers: {
        Authorization: `Bearer ${this.sandbox.secretKey}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      ...(method !== 'GET' && { body: String(form) }),
    })
    const text = await response.text()
    const body = JSON.parse(text)
    const named = `${method} ${path} ${decodeURIComponent(String(form))}: ${response.status}`
    if (response.status === 200) this.#expectTyped(named, body)
    else expectError(named, response.status, body)
    return { status: response.status, body, text }
  }

  /** Lists objects, oldest first. */
  list(path: string): Promise<Body[]> {
    const get = (page: string) => this.send({ method: 'GET', path: page })
    return listAll(get, `${path}${path.includes('?') ? '&' : '?'}`)
  }

  /** Submits the page of a Checkout session, as its form does. @returns what it led to, or why it was refused */
  async submit({ session, submission }: Submit): Promise<string> {
    const { engine, merchant } = this.sandbox
    const context = { id: 'req_page', idempotency_key: null }
    try {
      const done = await engine.command(merchant, context, (unit) =>
        completeCheckout(unit, session, submission),
      )
      return done.result
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return error.message
      throw error
    }
  }

  /** Sends a request of the operator. Objects have paytwin's own form. */
  operate(method: string, path: string, body?: Body): Promise<TwinResponse> {
    const text = body && JSON.stringify(body)
    return ask(this.sandbox, { method, path: `/_paytwin/${path}`, token: ADMIN_TOKEN, body: text })
  }

  /** Reads an object of the merchant in paytwin's own form. */
  async readOwn(path: string): Promise<Body> {
    const { status, body, text } = await this.operate('GET', `merchants/${this.merchant}${path}`)
    if (status !== 200) throw new Failure('operator', `${path}: ${status} ${text}`)
    return body
  }

  get merchant(): string {
    return this.sandbox.merchant.settings.id
  }

  /** Moves a test clock, or the main clock. */
  async move(clock: string | null, to: number): Promise<void> {
    if (clock === null) {
      const { status, text } = await this.operate('POST', 'clock/advance', { to })
      if (status >= 300) throw new Failure('clock', `${to}: ${status} ${text}`)
      this.now = to
      return
    }
    const path = `/v1/test_helpers/test_clocks/${clock}`
    const { status, text } = await this.send({
      ...{ method: 'POST', path: `${path}/advance` },
      params: { frozen_time: to },
    })
    if (status !== 200) throw new Failure('clock', `${to}: ${status} ${text}`)
    for (;;) {
      const { body } = await this.send({ method: 'GET', path })
      if (body.status === 'ready') return
      if (body.status !== 'advancing') throw new Failure('clock', `${clock} is ${body.status}`)
      await setImmediate()
    }
  }

  /** Reads the events since the last call, oldest first. */
  async newEvents(): Promise<Body[]> {
    const found: Body[] = []
    for (;;) {
      const newest = found.at(-1)?.id ?? this.events.at(-1)?.id
      if (newest === undefined) {
        found.push(...(await this.list('/v1/events')))
        break
      }
      const path = `/v1/events?limit=100&ending_before=${newest}`
      const { body } = await this.send({ method: 'GET', path })
      found.push(...body.data.reverse())
      if (!body.has_more) break
    }
    this.events.push(...found)
    return found
  }

  #expectTyped(named: string, body: Body): void {
    const errors = this.#isTyped ? typeErrorsIn(body) : []
    if (errors.length > 0) throw new Failure('types', `${named}: ${errors.join('; ')}`)
  }
}

const ERROR_TYPES = ['card_error', 'idempotency_error', 'invalid_request_error']

function expectError(named: string, status: number, { error }: Body): void {
  const isError =
    status >= 400 &&
    status < 500 &&
    ERROR_TYPES.includes(error?.type) &&
    typeof error.message === 'string' &&
    (error.type === 'card_error') === (status === 402)
  if (!isError) throw new Failure('error', `${named} ${JSON.stringify(error)}`)
}

/** Encodes parameters as the SDK does: `items[0][price]=…`. Parameters that are null are left out. */
function formOf(value: unknown, name = ''): [string, string][] {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return [[name, String(value)]]
  return Object.entries(value).flatMap(([key, each]) => formOf(each, name === '' ? key : `${name}[${key}]`))
}
