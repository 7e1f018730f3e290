import { findMerchant } from '../engine/resources/merchant.ts'
import type { Caller } from './caller.ts'
import type { HttpServices } from './services.ts'

/** The environment of a request that the operator sends for a merchant. Only the admin API sets it: no header can. */
type OperatorEnvironment = {
  readonly operatorFor?: string
  /** No request of Node: the request for the merchant has a body of its own. */
  readonly incoming?: undefined
  /** Whether the request log leaves the request out. */
  readonly isUnlogged?: true
  /** Aborts when its sender ends, such as a session of the dashboard. Requests that still wait are then refused. */
  readonly ending?: AbortSignal
}

/** Returns the environment of the server for a request that the operator sends for a merchant. */
export const environmentFor = (env: unknown, merchant: string): OperatorEnvironment & object => ({
  ...(env as object | undefined),
  incoming: undefined,
  operatorFor: merchant,
})

/** The environment of the dashboard's own requests, which the request log leaves out. */
export const UNLOGGED: OperatorEnvironment & object = { isUnlogged: true }

/** The environment of a request that is refused if a signal aborts before it acts. */
export const until = (ending: AbortSignal): OperatorEnvironment & object => ({ ending })

/** Whether the sender of a request has ended. The admin token is not revoked while the daemon runs. */
export const hasEnded = (env: unknown): boolean =>
  (env as OperatorEnvironment | undefined)?.ending?.aborted === true

export const isUnlogged = (env: unknown): boolean =>
  (env as OperatorEnvironment | undefined)?.isUnlogged === true

/**
 * Returns the caller of a request that the operator sends for a merchant; undefined for any other request. Its idempotency
 * keys are apart from those of the merchant's own requests.
 * @throws ApiError resource_missing, param merchant
 * See docs/contract/operator.md#requests-for-a-merchant.
 */
export function operatorCaller({ engine }: Pick<HttpServices, 'engine'>, env: unknown): Caller | undefined {
  const id = (env as OperatorEnvironment | undefined)?.operatorFor
  if (id === undefined) return undefined
  return {
    merchant: findMerchant(engine, id, 'merchant'),
    isPublic: false,
    isOperator: true,
    keyId: 'operator',
    keyHint: 'operator',
    scope: `${id} operator`,
    isRevoked: false,
    isValid: () => !hasEnded(env),
  }
}
