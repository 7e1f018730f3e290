import { ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import type { Registered, RouteErrors } from '../route.ts'
import { requiresWriteScope, storesResponses } from './audience.ts'
import { type JsonSchema, requestSchema } from './json-schema.ts'

export type RefusalStatus = 400 | 401 | 402 | 404 | 422 | 429 | 500

/** The error codes of a route, by status. The 401 for a missing key has no code. */
export type Codes = ReadonlyMap<RefusalStatus, readonly ErrorCode[]>

/**
 * Returns all errors of a route: those in its definition, and those of every route of its kind.
 * See docs/contract/errors.md#codes.
 */
export function refusalsOf(route: Registered): Codes {
  const all = [...common(route), ...byParameters(route), route.errors ?? {}]
  const codes = new Map<RefusalStatus, Set<ErrorCode>>()
  for (const refusals of all) {
    for (const [status, named] of Object.entries(refusals)) {
      const known = codes.get(Number(status) as RefusalStatus) ?? new Set()
      codes.set(Number(status) as RefusalStatus, new Set([...known, ...named]))
    }
  }
  const statuses = [...codes.keys()].sort((left, right) => left - right)
  return new Map(statuses.map((status) => [status, inOrder(codes.get(status) ?? new Set())]))
}

type AnyRefusals = Partial<Record<RefusalStatus, readonly ErrorCode[]>>

/** Returns the errors that all routes of an audience have. */
function common(route: Registered): AnyRefusals[] {
  const { audience, path } = route
  const byPath: RouteErrors = path.includes(':id') ? { 404: ['resource_missing'] } : {}
  const always: AnyRefusals = { 400: ['parameter_invalid'], 500: ['internal_error'] }
  if (audience === 'everybody') return [always]
  if (audience === 'operator') return [always, byPath, { 401: [] }]
  const limits: AnyRefusals = { 400: ['parameter_unknown'], 429: ['rate_limit'] }
  if (audience === 'app') return [always, limits, { 401: ['invalid_client'] }]
  const repeats: RouteErrors = storesResponses(route) ? { 422: ['idempotency_key_reuse'] } : {}
  return [always, byPath, repeats, limits, { 401: requiresWriteScope(route) ? ['insufficient_scope'] : [] }]
}

/** Returns the errors that follow from the parameters of a route. */
function byParameters({ method, params, requires, isPage }: Registered): RouteErrors[] {
  // A page shows its errors as text.
  if (isPage) return []
  const schema = params ? requestSchema(params()) : {}
  const shape = schema.properties ?? {}
  return [
    requires || requiresAnything(schema) ? { 400: ['parameter_missing'] } : {},
    'amount' in shape ? { 400: ['amount_invalid', 'amount_too_large'] } : {},
    'starting_after' in shape || 'merchant' in shape ? { 404: ['resource_missing'] } : {},
    // Without a merchant, a GET covers all merchants.
    'merchant' in shape && method !== 'get' ? { 400: ['parameter_missing'] } : {},
  ]
}

/** Returns whether a schema has required parameters at any depth. */
const requiresAnything = ({ required = [], properties = {}, items }: JsonSchema): boolean =>
  required.length > 0 ||
  Object.values(properties).some(requiresAnything) ||
  (items !== undefined && requiresAnything(items))

/** Sorts codes in the order of ERROR_CODES. */
const inOrder = (codes: ReadonlySet<ErrorCode>): ErrorCode[] =>
  (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => codes.has(code))
