import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import type { Json } from '../json.ts'

export const INFO_TEXT = `Request bodies are JSON or form-encoded. Responses are JSON. Amounts are integers in the smallest currency unit. Times are Unix seconds in UTC. Every response has \`livemode\`, which is false, and a Request-Id.

Lists are newest first and paginated with starting_after and ending_before. expand[] shows objects in place of their ids. Unknown parameters are ignored, and listed in Paytwin-Ignored-Params. With --strict-params, and always for those that paytwin does not support yet, they are errors. A POST or DELETE with an Idempotency-Key can be retried safely.`

/** Header parameters that routes share. */
export const PARAMETERS: Json = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to retry. For 24 hours, the same key with the same parameters returns the first response, and the action runs once.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  },
  ApiVersion: {
    name: 'X-API-Version',
    in: 'header',
    description: 'The version of the API. Default: the version of the merchant.',
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    example: NEWEST_API_VERSION,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'For a stream: the id of the last received event. The stream continues after it.',
    schema: { type: 'string' },
  },
  State: {
    name: 'Paytwin-State',
    in: 'header',
    description:
      'For a stream of events: the id of the state from the last response. If a reset or restore has replaced it, the stream begins with event: reset and the events since.',
    schema: { type: 'string' },
  },
}

/** Response headers. See docs/contract/requests.md#response-headers. */
export const HEADERS: Json = {
  'Request-Id': { description: 'The id of the request.', schema: { type: 'string' } },
  'X-API-Version': {
    description: 'The version of the API that was used.',
    schema: { type: 'string' },
    example: NEWEST_API_VERSION,
  },
  'Paytwin-Now': {
    description: "The merchant's clock, in Unix seconds.",
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'Paytwin-Ignored-Params': {
    description: 'The unknown parameters, which were ignored: percent-encoded, separated by commas.',
    schema: { type: 'string' },
  },
  'Paytwin-State': {
    description:
      'For a stream of events: the id of the state. It is another one after each reset or restore.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'true if this is a replay of the response for the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait before the next request.', schema: { type: 'string' } },
  'Cache-Control': { description: 'no-store: the response must not be cached.', schema: { type: 'string' } },
  Location: { description: 'The target of the redirect.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } },
}

export const SECURITY_SCHEMES: Json = {
  basic: {
    type: 'http',
    scheme: 'basic',
    description: 'A secret key (sk_test_…) as the user, with an empty password.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'A secret key (sk_test_…).' },
  oauth: {
    type: 'oauth2',
    description: 'An access token (oat_test_…) of an authorized app. Writes require the scope read_write.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/v1/oauth/authorize',
        tokenUrl: '/v1/oauth/token',
        refreshUrl: '/v1/oauth/token',
        scopes: { read_only: 'Read all data.', read_write: 'Read and write all data.' },
      },
    },
  },
  publishable: {
    type: 'http',
    scheme: 'bearer',
    description: 'A publishable key (pk_test_…), for browsers, with the client_secret of the intent.',
  },
  app: {
    type: 'http',
    scheme: 'basic',
    description:
      "An app's client_id as the user and its client_secret as the password, each form-url-encoded.",
  },
  operator: { type: 'http', scheme: 'bearer', description: "The daemon's admin token." },
}
