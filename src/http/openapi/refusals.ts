import { ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import type { Refusals, Registered } from '../route.ts'
import { keepsAnswers, wantsScope } from './audience.ts'
import { type JsonSchema, requestSchema } from './json-schema.ts'

export type RefusalStatus = 400 | 401 | 402 | 404 | 422 | 429 | 500

/** The codes with which a route answers each status. A 401 of a missing key has none. */
export type Codes = ReadonlyMap<RefusalStatus, readonly ErrorCode[]>

/**
 * All that a route refuses with: what its own definition names, and what every route of its kind has.
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

/** What routes of one audience have in common. */
function common(route: Registered): AnyRefusals[] {
  const { audience, path } = route
  const byPath: Refusals = path.includes(':id') ? { 404: ['resource_missing'] } : {}
  const always: AnyRefusals = { 400: ['parameter_invalid'], 500: ['internal_error'] }
  if (audience === 'everybody') return [always]
  if (audience === 'operator') return [always, byPath, { 401: [] }]
  const limits: AnyRefusals = { 400: ['parameter_unknown'], 429: ['rate_limit'] }
  if (audience === 'app') return [always, limits, { 401: ['invalid_client'] }]
  const repeats: Refusals = keepsAnswers(route) ? { 422: ['idempotency_key_reuse'] } : {}
  return [always, byPath, repeats, limits, { 401: wantsScope(route) ? ['insufficient_scope'] : [] }]
}

/** What follows from the parameters that a route takes. */
function byParameters({ method, params, requires, isPage }: Registered): Refusals[] {
  // A page says itself what is wrong, in words.
  if (isPage) return []
  const schema = params ? requestSchema(params) : {}
  const shape = schema.properties ?? {}
  return [
    requires || requiresAnything(schema) ? { 400: ['parameter_missing'] } : {},
    'amount' in shape ? { 400: ['amount_invalid', 'amount_too_large'] } : {},
    'starting_after' in shape || 'merchant' in shape ? { 404: ['resource_missing'] } : {},
    // What is only read is shown of all merchants.
    'merchant' in shape && method !== 'get' ? { 400: ['parameter_missing'] } : {},
  ]
}

/** Whether something has to be given, be it only within something else. */
const requiresAnything = ({ required = [], properties = {}, items }: JsonSchema): boolean =>
  required.length > 0 ||
  Object.values(properties).some(requiresAnything) ||
  (items !== undefined && requiresAnything(items))

/** In the order in which they are explained. */
const inOrder = (codes: ReadonlySet<ErrorCode>): ErrorCode[] =>
  (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => codes.has(code))
