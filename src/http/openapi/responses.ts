import type { ErrorCode } from '../error-codes.ts'
import type { Json } from '../json.ts'
import type { Registered } from '../route.ts'
import { authenticationErrorSchema, errorSchema, paymentFailureSchema } from '../schemas/error.ts'
import type { Examples } from './examples.ts'
import { refTo } from './json-schema.ts'
import type { Around } from './parameters.ts'
import { type RefusalStatus, refusalsOf } from './refusals.ts'

/** How an example of an error is named among the components. */
export const errorExampleName = (status: number, code: string): string => `${status}_${code}`

const STATUS_TEXTS: Readonly<Record<RefusalStatus, string>> = {
  400: 'The request is not right as it is.',
  401: 'There is no key that opens, or keys cannot be resolved right now.',
  402: 'The payment failed.',
  404: 'There is no such object.',
  422: 'The request is understood, and cannot be carried out.',
  429: 'Too many requests.',
  500: 'The daemon failed; nothing was written.',
}

/** The refusals that are the same for every route that has them. */
const SHARED: Partial<Record<RefusalStatus, string>> = { 429: 'TooManyRequests', 500: 'InternalError' }

/** Everything that a route answers, by status. */
export function responsesOf(route: Registered, around: Around, examples: Examples): Json {
  const refusals = [...refusalsOf(route)].map(([status, codes]) => [
    status,
    sharedRefusal(route, status) ?? refusal(status, codes, examples, headersOf(route)),
  ])
  return { [route.status ?? 200]: success(route, around, examples), ...Object.fromEntries(refusals) }
}

/** The refusals that routes share, by name. */
export const sharedResponses = (examples: Examples): Json => ({
  Unauthorized: unauthorized(['invalid_key', 'keys_unavailable'], examples),
  OperatorUnauthorized: unauthorized(['invalid_admin_token'], examples),
  TooManyRequests: refusal(429, ['rate_limit'], examples, ['Request-Id', 'X-API-Version', 'Retry-After']),
  InternalError: refusal(500, ['internal_error'], examples, ['Request-Id', 'X-API-Version']),
})

function sharedRefusal({ audience }: Registered, status: RefusalStatus): Json | undefined {
  const unauthorizedName = audience === 'operator' ? 'OperatorUnauthorized' : 'Unauthorized'
  const name = status === 401 ? unauthorizedName : SHARED[status]
  return name === undefined ? undefined : { $ref: `#/components/responses/${name}` }
}

function success(route: Registered, { schemas, example }: Around, examples: Examples): Json {
  const stream = examples.streams.get(`${route.method} ${route.path}`)
  return {
    description: schemas[route.returns.name]?.description ?? route.returns.name,
    headers: references(headersOf(route)),
    content: {
      'application/json': {
        schema: refTo(route.returns.name),
        ...(example && { example: example.body }),
      },
      ...(route.streams && {
        'text/event-stream': {
          schema: {
            type: 'string',
            description:
              'Server-sent events: event says what is told (of an event its type), id is its id, data the object itself as JSON.',
          },
          ...(stream !== undefined && { example: stream }),
        },
      }),
    },
  }
}

function refusal(
  status: RefusalStatus,
  codes: readonly ErrorCode[],
  examples: Examples,
  headers: readonly string[],
): Json {
  const shown = codes.filter((code) => examples.errors.has(errorExampleName(status, code)))
  const schema = refTo(status === 402 ? paymentFailureSchema.name : errorSchema.name)
  return {
    description: `${STATUS_TEXTS[status]} Codes: ${codes.join(', ')}.`,
    headers: references(headers),
    content: { 'application/json': { schema, examples: exampleReferences(status, shown) } },
  }
}

const unauthorized = (names: readonly string[], examples: Examples): Json => ({
  description: STATUS_TEXTS[401],
  headers: references(['Request-Id', 'X-API-Version', 'WWW-Authenticate']),
  content: {
    'application/json': {
      schema: refTo(authenticationErrorSchema.name),
      examples: exampleReferences(
        401,
        names.filter((name) => examples.errors.has(errorExampleName(401, name))),
      ),
    },
  },
})

const exampleReferences = (status: number, codes: readonly string[]): Json =>
  Object.fromEntries(
    codes.map((code) => [code, { $ref: `#/components/examples/${errorExampleName(status, code)}` }]),
  )

/** The headers of what a route answers. Source: decisions.md 1, "Every response". */
function headersOf({ audience, method }: Registered): string[] {
  const isMerchants = audience === 'merchant' || audience === 'public'
  return [
    'Request-Id',
    'X-API-Version',
    'Paytwin-Ignored-Params',
    ...(isMerchants ? ['Paytwin-Now'] : []),
    ...(isMerchants && method !== 'get' ? ['Idempotent-Replayed'] : []),
  ]
}

const references = (headers: readonly string[]): Json =>
  Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
