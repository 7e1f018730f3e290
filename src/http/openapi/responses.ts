import type { ErrorCode } from '../error-codes.ts'
import type { Json } from '../json.ts'
import type { Registered } from '../route.ts'
import {
  authenticationErrorSchema,
  errorSchema,
  oauthErrorSchema,
  oauthFlatErrorSchema,
  paymentFailureSchema,
} from '../schemas/error.ts'
import {
  hasOAuthErrors,
  isMerchants,
  requiresWriteScope,
  storesResponses,
  streamsEvents,
} from './audience.ts'
import type { Examples } from './examples.ts'
import { refTo } from './json-schema.ts'
import type { Context } from './parameters.ts'
import { type RefusalStatus, refusalsOf } from './refusals.ts'

/** Names the example of an error in the components. */
export const errorExampleName = (status: number, code: string): string => `${status}_${code}`

const STATUS_TEXTS: Readonly<Record<RefusalStatus, string>> = {
  400: 'The request is invalid.',
  401: 'Missing or invalid API key, or authentication is unavailable.',
  402: 'The payment failed.',
  404: 'The object does not exist.',
  422: 'The request is valid but cannot be processed.',
  429: 'Too many requests.',
  500: 'The daemon failed. Nothing was written.',
}

/** Error responses that routes share as components. */
const SHARED: Partial<Record<RefusalStatus, string>> = { 429: 'TooManyRequests', 500: 'InternalError' }

/** Describes all responses of a route, by status. */
export function responsesOf(route: Registered, context: Context, examples: Examples): Json {
  const refusals = [...refusalsOf(route)].map(([status, codes]) => [
    status,
    sharedRefusal(route, status) ?? ownRefusal(route, { status, codes }, examples),
  ])
  const successes = { [route.status ?? 200]: success(route, context, examples) }
  return { ...successes, ...(route.isPage && { 303: leaving(route) }), ...Object.fromEntries(refusals) }
}

/** Describes the shared error responses, by name. */
export const sharedResponses = (examples: Examples): Json => ({
  Unauthorized: unauthorized(['invalid_key', 'keys_unavailable'], examples),
  UnauthorizedToWrite: unauthorizedToWrite(examples),
  OperatorUnauthorized: unauthorized(['invalid_admin_token'], examples),
  TooManyRequests: refusal(429, ['rate_limit'], examples, ['Request-Id', 'X-API-Version', 'Retry-After']),
  InternalError: refusal(500, ['internal_error'], examples, ['Request-Id', 'X-API-Version']),
})

function sharedRefusal(route: Registered, status: RefusalStatus): Json | undefined {
  const shared = hasOAuthErrors(route) ? undefined : SHARED[status]
  const name = status === 401 ? unauthorizedName(route) : shared
  return name === undefined ? undefined : { $ref: `#/components/responses/${name}` }
}

function unauthorizedName(route: Registered): string | undefined {
  if (route.audience === 'app') return undefined
  if (route.audience === 'operator') return 'OperatorUnauthorized'
  return requiresWriteScope(route) ? 'UnauthorizedToWrite' : 'Unauthorized'
}

/** Describes an error response of one route, also as a page or in OAuth's format. */
function ownRefusal(
  route: Registered,
  { status, codes }: { status: RefusalStatus; codes: readonly ErrorCode[] },
  examples: Examples,
): Json {
  const plain = refusal(status, codes, examples, headersOf(route, status))
  if (hasOAuthErrors(route)) return { ...plain, content: oauthContent(route, { status, codes }, examples) }
  return route.isPage && status < 500
    ? { ...plain, content: { ...plain.content, ...pageContent(route) } }
    : plain
}

/** Describes the content of OAuth errors: the envelope with a description, for apps also the flat form. */
function oauthContent(
  { audience }: Registered,
  { status, codes }: { status: RefusalStatus; codes: readonly ErrorCode[] },
  examples: Examples,
): Json {
  const shown = codes.flatMap((code) => {
    const example = examples.errors.get(errorExampleName(status, code))
    return example ? [[code, { value: describedExample(example) }] as const] : []
  })
  const forms = audience === 'app' ? [oauthErrorSchema, oauthFlatErrorSchema] : [oauthErrorSchema]
  const schema = { anyOf: forms.map(({ name }) => refTo(name)) }
  return { 'application/json': { schema, examples: Object.fromEntries(shown) } }
}

/** Adds error_description to the example of another route. */
const describedExample = (example: Json): Json => ({
  ...example,
  error_description: (example.error as { readonly message: string }).message,
})

const pageContent = ({ returns }: Registered): Json => ({ 'text/html': { schema: refTo(returns.name) } })

function shownPage(route: Registered, description = ''): Json {
  return route.status === 303
    ? leaving(route)
    : { description, headers: references(headersOf(route)), content: pageContent(route) }
}

const leaving = (route: Registered): Json => ({
  description: 'Redirects the browser to the app, with a code or an error.',
  headers: references([...headersOf(route), 'Location']),
  content: pageContent(route),
})

function success(route: Registered, { schemas, example }: Context, examples: Examples): Json {
  const stream = examples.streams.get(`${route.method} ${route.path}`)
  if (route.isPage) return shownPage(route, schemas[route.returns.name]?.description)
  return {
    description: schemas[route.returns.name]?.description ?? route.returns.name,
    headers: references([...headersOf(route), ...(streamsEvents(route) ? ['Paytwin-State'] : [])]),
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
              'Server-sent events: `event` is the event type, or `request` in the stream of requests. `id` is the id of the object, `data` the object as JSON. The event `reset` reports that the whole state was replaced.',
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
): Json & { readonly content: Json } {
  const shown = codes.filter((code) => examples.errors.has(errorExampleName(status, code)))
  const schema = refTo(status === 402 ? paymentFailureSchema.name : errorSchema.name)
  return {
    description: `${STATUS_TEXTS[status]} Codes: ${codes.join(', ')}.`,
    headers: references(headers),
    content: { 'application/json': { schema, examples: exampleReferences(status, shown) } },
  }
}

const unauthorized = (names: readonly string[], examples: Examples) => ({
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

/** Describes the 401 of routes that write: also for a read-only access token. */
function unauthorizedToWrite(examples: Examples): Json {
  const names = ['invalid_key', 'keys_unavailable', 'insufficient_scope']
  const { content, ...rest } = unauthorized(names, examples)
  const schema = { anyOf: [refTo(authenticationErrorSchema.name), refTo(errorSchema.name)] }
  return { ...rest, content: { 'application/json': { ...content['application/json'], schema } } }
}

const exampleReferences = (status: number, codes: readonly string[]): Json =>
  Object.fromEntries(
    codes.map((code) => [code, { $ref: `#/components/examples/${errorExampleName(status, code)}` }]),
  )

/** Returns the headers of a route's responses. See docs/contract/requests.md#response-headers. */
function headersOf(route: Registered, status?: RefusalStatus): string[] {
  const { audience, isPage } = route
  return [
    'Request-Id',
    'X-API-Version',
    'Paytwin-Ignored-Params',
    ...(isMerchants(route) || audience === 'app' ? ['Paytwin-Now'] : []),
    ...(storesResponses(route) ? ['Idempotent-Replayed'] : []),
    ...(audience === 'app' || isPage ? ['Cache-Control'] : []),
    ...(status === 401 ? ['WWW-Authenticate'] : []),
    ...(status === 429 ? ['Retry-After'] : []),
  ]
}

const references = (headers: readonly string[]): Json =>
  Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
