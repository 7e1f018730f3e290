import { NEWEST_API_VERSION } from '../core/api-version.ts'
import type { Json } from './json.ts'
import { requiresWriteScope, takesTokens } from './openapi/audience.ts'
import { type Examples, NO_EXAMPLES } from './openapi/examples.ts'
import { componentSchemas, type Schemas } from './openapi/json-schema.ts'
import { type Context, parametersOf, requestBodyOf } from './openapi/parameters.ts'
import { responsesOf, sharedResponses } from './openapi/responses.ts'
import { type Tag, tagOf, tagsOf } from './openapi/tags.ts'
import { HEADERS, INFO_TEXT, PARAMETERS, SECURITY_SCHEMES } from './openapi/texts.ts'
import type { Registered } from './route.ts'

/** The parts of an OpenAPI 3.1 document that this program reads. */
export type OpenApi = Json & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: Json & { readonly schemas: Schemas }
}

export type Described = {
  readonly routes: readonly Registered[]
  /** Where the daemon listens. */
  readonly url: string
  /** The program's version. */
  readonly version: string
  readonly examples?: Examples
}

/**
 * Builds the OpenAPI document from the registered routes: parameters from the schemas that check them, responses from the
 * schemas of the presenters, examples from a sandbox.
 */
export function describe({ routes, url, version, examples = NO_EXAMPLES }: Described): OpenApi {
  const schemas = componentSchemas()
  const tags = tagsOf(routes, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'paytwin',
      version,
      summary: 'A sandbox of a payments and recurring-billing service.',
      description: INFO_TEXT,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-api-version': NEWEST_API_VERSION,
    },
    servers: [
      { url, description: 'This daemon.' },
      {
        url: `${url}/_paytwin/merchants/{merchant}`,
        description: 'The paths below /v1 for the operator: with the admin token, as a merchant.',
        variables: { merchant: { default: 'mer_…', description: 'The id of the merchant.' } },
      },
    ],
    security: [],
    tags: tags.map(({ name, title, description }) => ({
      name,
      'x-displayName': title,
      description,
      externalDocs: { url: `${url}/docs/${name}` },
    })),
    paths: pathsOf(tags, schemas, examples),
    components: {
      schemas,
      responses: sharedResponses(examples),
      parameters: PARAMETERS,
      headers: HEADERS,
      examples: Object.fromEntries([...examples.errors].map(([name, value]) => [name, { value }])),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

function pathsOf(tags: readonly Tag[], schemas: Schemas, examples: Examples): OpenApi['paths'] {
  const paths: Record<string, Record<string, Json>> = {}
  for (const tag of tags) {
    for (const route of tag.routes) {
      const example = examples.successes.get(`${route.method} ${route.path}`)
      const path = templateOf(route.path)
      paths[path] = { ...paths[path], [route.method]: operation(route, { tag, schemas, example }, examples) }
    }
  }
  return paths
}

/** `/v1/customers/:id` → `/v1/customers/{id}` */
export const templateOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')

function operation(route: Registered, context: Context, examples: Examples): Json {
  const requestBody = requestBodyOf(route, context)
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [tagOf(route)],
    security: securityOf(route),
    parameters: parametersOf(route, context),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, context, examples),
  }
}

const SECURITY: Readonly<Record<Registered['audience'], readonly Json[]>> = {
  merchant: [{ basic: [] }, { bearer: [] }],
  public: [{ basic: [] }, { bearer: [] }, { publishable: [] }],
  app: [{ app: [] }],
  operator: [{ operator: [] }],
  everybody: [],
}

function securityOf(route: Registered): readonly Json[] {
  if (!takesTokens(route)) return SECURITY[route.audience]
  const scope = requiresWriteScope(route) ? 'read_write' : 'read_only'
  return [...SECURITY[route.audience], { oauth: [scope] }]
}

/** Names an operation: `post /v1/payment_intents/:id/confirm` → postPaymentIntentsIdConfirm; operatorPost… on the admin API. */
function operationId({ method, path }: Registered): string {
  const isOperators = path.startsWith('/_paytwin/')
  const words = path.replace(/^\/(v1|_paytwin)\//, '').split(/[/:_]+/)
  return [...(isOperators ? ['operator'] : []), method, ...words]
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('')
}
