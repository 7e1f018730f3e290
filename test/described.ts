import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Sandbox } from '../src/daemon/sandbox.ts'
import type { ErrorCode } from '../src/http/error-codes.ts'
import type { JsonSchema, Schemas } from '../src/http/openapi/json-schema.ts'
import { type Codes, type RefusalStatus, refusalsOf } from '../src/http/openapi/refusals.ts'
import { describe, type OpenApi } from '../src/http/openapi.ts'
import type { Registered } from '../src/http/route.ts'
import type { TwinResponse } from './twin.ts'

/** A route, and what its description promises. */
type Promised = {
  readonly route: Registered
  readonly pattern: RegExp
  readonly codes: Codes
}

/** Described once for all twins of a test file: their routes are the same. */
let known: { readonly routes: readonly Promised[]; readonly ajv: Ajv2020 } | undefined

/**
 * Fails when a response is not what /openapi.json says of it: another status, a code that the route does not name, a field
 * that is missing, of another type, or not described.
 */
export function expectDescribed(
  sandbox: Sandbox,
  request: { method: string; path: string },
  response: TwinResponse,
): void {
  const { status, body, headers } = response
  // Other versions look different, also within a response of the newest: the description is of the only real one.
  if (sandbox.engine.versions.length > 1 || headers.get('X-API-Version') !== sandbox.engine.versions.at(-1))
    return
  known ??= describeOnce(sandbox.routes)
  const { routes, ajv } = known
  // The operator's requests for a merchant have the responses of /v1.
  const [path = ''] = request.path.replace(/^\/_paytwin\/merchants\/[^/]+(?=\/v1\/)/, '').split('?')
  // The description does not describe itself.
  if (path === '/openapi.json') return
  const named = `${request.method} ${path} → ${status}`
  const promised = routes.find(
    ({ route, pattern }) => route.method.toUpperCase() === request.method.toUpperCase() && pattern.test(path),
  )
  const component = status < 400 ? promised?.route.returns.name : errorComponent(status, body)
  if (component === undefined) throw new Error(`${named}: no description says so`)
  if (promised) expectPromised(promised, named, response)
  const validate = validatorOf(ajv, component)
  if (!validate(body)) {
    throw new Error(
      `${named} is no ${component}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(body, null, 2)}`,
    )
  }
}

function expectPromised({ route, codes }: Promised, named: string, { status, body }: TwinResponse): void {
  if (status === (route.status ?? 200)) return
  const described = codes.get(status as RefusalStatus)
  const code: ErrorCode | undefined = body.error?.code
  if (!described || (code !== undefined && !described.includes(code))) {
    throw new Error(`${named}: the description names no ${status} ${code ?? ''} of this route`)
  }
}

function errorComponent(status: number, { error, error_description }: TwinResponse['body']): string {
  if (typeof error === 'string') return 'OAuthFlatError'
  if (error_description !== undefined) return 'OAuthError'
  if (error?.code === undefined) return 'AuthenticationError'
  return status === 402 ? 'PaymentFailure' : 'Error'
}

function describeOnce(routes: readonly Registered[]) {
  const document = describe({ routes, url: 'http://localhost', version: '0.0.0' })
  const ajv = new Ajv2020({ strict: false, discriminator: true })
  ajv.addSchema({ $id: 'paytwin', components: { schemas: closed(document) } })
  return {
    ajv,
    routes: routes
      // Literal paths come before paths with an id.
      .toSorted((left, right) => Number(left.path.includes(':')) - Number(right.path.includes(':')))
      .map((route) => ({
        route,
        pattern: new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`),
        codes: refusalsOf(route),
      })),
  }
}

const validatorOf = (ajv: Ajv2020, component: string): ValidateFunction => {
  const key = `paytwin#/components/schemas/${component}`
  const validate = ajv.getSchema(key)
  if (!validate) throw new Error(`${component} is not described`)
  return validate
}

/** The schemas with every object closed: a response may grow, but then its description has to grow too. */
const closed = ({ components }: OpenApi): Schemas =>
  Object.fromEntries(Object.entries(components.schemas).map(([name, schema]) => [name, close(schema)]))

const close = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, child]) => [name, close(child)]),
    ),
    additionalProperties: schema.additionalProperties ?? false,
  }),
  ...(schema.items && { items: close(schema.items) }),
  ...(schema.anyOf && { anyOf: schema.anyOf.map(close) }),
})
