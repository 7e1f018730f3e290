import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import type { Json } from '../json.ts'

export const INFO_TEXT = `All bodies are JSON; forms are understood too. Amounts are integers in the smallest currency unit, times are Unix seconds in UTC. Every answer carries \`livemode\`, which is false here, and a Request-Id.

Lists are newest first and come in pages: go on with starting_after, back with ending_before. expand[] shows whole objects in place of ids. Unknown parameters are ignored, and named in Paytwin-Ignored-Params. A POST or DELETE that carries an Idempotency-Key can be repeated without doing anything twice.`

/** Parameters that many routes have. */
export const PARAMETERS: Json = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours the same key with the same parameters answers the same, and nothing happens twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  },
  ApiVersion: {
    name: 'X-API-Version',
    in: 'header',
    description: "The version of the API to speak; the merchant's own unless given.",
    schema: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    example: NEWEST_API_VERSION,
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Of a stream: the id of the last event that was seen, after which it goes on.',
    schema: { type: 'string' },
  },
}

/** Headers that answers carry. See docs/contract/requests.md#response-headers. */
export const HEADERS: Json = {
  'Request-Id': { description: 'Names this request.', schema: { type: 'string' } },
  'X-API-Version': {
    description: 'The version of the API that was spoken.',
    schema: { type: 'string' },
    example: NEWEST_API_VERSION,
  },
  'Paytwin-Now': {
    description: "The merchant's clock, in Unix seconds.",
    schema: { type: 'string', pattern: '^\\d+$' },
  },
  'Paytwin-Ignored-Params': {
    description:
      'The parameters that are unknown here and were ignored, percent-encoded, separated by commas.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'true when this answers what was done before under the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': { description: 'Seconds to wait before the next request.', schema: { type: 'string' } },
  'Cache-Control': { description: 'no-store: nobody keeps the answer.', schema: { type: 'string' } },
  Location: { description: 'Where the browser goes on.', schema: { type: 'string' } },
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
    description:
      'An access token (oat_test_…) with which a merchant has let an app in. It writes with the scope read_write only.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/v1/oauth/authorize',
        tokenUrl: '/v1/oauth/token',
        refreshUrl: '/v1/oauth/token',
        scopes: { read_only: 'See everything.', read_write: 'See and change everything.' },
      },
    },
  },
  publishable: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A publishable key (pk_test_…), for browsers, together with the client_secret of the intent.',
  },
  app: {
    type: 'http',
    scheme: 'basic',
    description:
      "An app's client_id as the user and its client_secret as the password, each form-url-encoded.",
  },
  operator: { type: 'http', scheme: 'bearer', description: "The daemon's admin token." },
}
