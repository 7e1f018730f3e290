import Stripe from 'stripe'
import { afterAll, beforeAll } from 'vitest'
import type { SandboxOptions } from '../../../src/daemon/sandbox.ts'
import { startTwin, type Twin } from '../../twin.ts'
import { asOperator } from '../support.ts'
import { typeErrorsIn } from './check-types.ts'

/** The official SDK, whose requests are served in this process. Each response is checked against the SDK's types. */
export type StripeTwin = {
  readonly stripe: Stripe
  readonly twin: Twin
  /** Creates the SDK with another key or other options. */
  withKey(key: string, options?: Stripe.StripeConfig): Stripe
  /** Advances a test clock, and waits until it is ready. */
  advance(clock: string, to: number): Promise<void>
  /** Advances the main clock of the merchant, as its operator. */
  advanceMain(params: { to: number; await_webhooks?: boolean }): Promise<void>
  close(): Promise<void>
}

type StripeOptions = Partial<SandboxOptions> & { readonly now?: string }

/** Starts a sandbox whose default merchant has the dialect stripe. */
export async function startStripe(options: StripeOptions = {}): Promise<StripeTwin> {
  const twin = await startTwin({ dialect: 'stripe', ...options })
  return sdkFor(() => twin)
}

/** Starts a sandbox as startStripe does before the tests of a file, and closes it after them. Only tests and hooks use it. */
export function stripeOfFile(options: StripeOptions = {}): StripeTwin {
  let twin: Twin | undefined
  beforeAll(async () => {
    twin = await startTwin({ dialect: 'stripe', ...options })
  })
  afterAll(() => twin?.close())
  return sdkFor(() => {
    if (!twin) throw new Error('The sandbox starts before the first test')
    return twin
  })
}

function sdkFor(twinNow: () => Twin): StripeTwin {
  const httpClient = Stripe.createFetchHttpClient(async (url, init) => {
    const response = await twinNow().sandbox.app.request(String(url), init)
    return response.ok ? typed(response) : response
  })
  const settings = { httpClient, maxNetworkRetries: 0, telemetry: false }
  const withKey = (key: string, given: Stripe.StripeConfig = {}) => new Stripe(key, { ...settings, ...given })
  // The key is known when the sandbox has started.
  const stripe = new Stripe('', {
    ...settings,
    authenticator: async ({ headers }) => {
      headers.Authorization = `Bearer ${twinNow().secretKey}`
    },
  })
  return {
    stripe,
    get twin() {
      return twinNow()
    },
    withKey,
    advance: async (clock, to) => {
      await stripe.testHelpers.testClocks.advance(clock, { frozen_time: to })
      while ((await stripe.testHelpers.testClocks.retrieve(clock)).status !== 'ready') await nextTurn()
    },
    advanceMain: async (params) => {
      const { status, body } = await asOperator(twinNow())('POST', 'clock/advance', params)
      if (status >= 300) throw new Error(JSON.stringify(body))
    },
    close: () => twinNow().close(),
  }
}

/** Creates a customer on a test clock, with a default card. */
export async function customerOnClock(
  stripe: Stripe,
  frozen_time: number,
): Promise<{ clock: string; customer: string }> {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time })
  const { id: customer } = await stripe.customers.create({ test_clock: clock })
  const method = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
  return { clock, customer }
}

/** Returns a response that has the SDK's types. One that has not is replaced by an error, which fails the test. */
async function typed(response: Response): Promise<Response> {
  const errors = typeErrorsIn(await response.clone().json())
  if (errors.length === 0) return response
  const message = `The response has not the types of the SDK: ${errors.join('; ')}`
  return Response.json({ error: { type: 'api_error', message } }, { status: 500 })
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Returns the error of a call; a success fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof Stripe.errors.StripeError) return error
  throw new Error(`expected an error of the SDK, not ${error}`)
}

/** Returns the id in a field that the SDK types as an id or an object. */
export const idOf = (field: string | { id: string } | null | undefined): string =>
  typeof field === 'string' ? field : (field?.id ?? '')
