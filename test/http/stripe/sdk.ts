import Stripe from 'stripe'
import type { SandboxOptions } from '../../../src/daemon/sandbox.ts'
import { startTwin, type Twin } from '../../twin.ts'

/** The official SDK, whose requests are served in this process. */
export type StripeTwin = {
  readonly stripe: Stripe
  readonly twin: Twin
  /** Creates the SDK with another key or other options. */
  withKey(key: string, options?: Stripe.StripeConfig): Stripe
  /** Advances a test clock, and waits until it is ready. */
  advance(clock: string, to: number): Promise<void>
  close(): Promise<void>
}

/** Starts a sandbox whose default merchant has the dialect stripe. */
export async function startStripe(
  options: Partial<SandboxOptions> & { now?: string } = {},
): Promise<StripeTwin> {
  const twin = await startTwin({ dialect: 'stripe', ...options })
  const httpClient = Stripe.createFetchHttpClient(async (url, init) =>
    twin.sandbox.app.request(String(url), init),
  )
  const withKey = (key: string, given: Stripe.StripeConfig = {}) =>
    new Stripe(key, { httpClient, maxNetworkRetries: 0, telemetry: false, ...given })
  const stripe = withKey(twin.secretKey)
  const advance = async (clock: string, to: number) => {
    await stripe.testHelpers.testClocks.advance(clock, { frozen_time: to })
    while ((await stripe.testHelpers.testClocks.retrieve(clock)).status !== 'ready') await nextTurn()
  }
  return { stripe, twin, withKey, advance, close: () => twin.close() }
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
