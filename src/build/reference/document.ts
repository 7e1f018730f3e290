import type { JsonSchema, Schemas } from '../../http/openapi/json-schema.ts'

/** The parts of the OpenAPI document that the reference uses. */
export type Document = {
  readonly info: { readonly description: string }
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Schemas
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, { readonly description: string }>>
    readonly responses: Readonly<Record<string, Response>>
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>
  }
}

export type Tag = { readonly name: string; readonly 'x-displayName': string; readonly description: string }

type Operation = {
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: JsonSchema
}

export type Response = {
  readonly description: string
  readonly content: Readonly<Record<string, Content>>
}

type Content = {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}

type Reference = { readonly $ref: string }

/** An operation with its method and path. */
export type Route = { readonly method: string; readonly path: string; readonly operation: Operation }

/** Names a route, such as POST /v1/customers/{id}. */
export const nameOfRoute = ({ method, path }: Pick<Route, 'method' | 'path'>): string =>
  `${method.toUpperCase()} ${path}`

export const routesOf = ({ paths }: Pick<Document, 'paths'>): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )

/** Resolves a reference to a component; returns other parts unchanged. */
export function resolvedIn<Part>(part: Part | Reference, components: Readonly<Record<string, Part>>): Part {
  const isReference = typeof part === 'object' && part !== null && '$ref' in part
  const found = isReference ? components[part.$ref.split('/').at(-1) ?? ''] : (part as Part)
  if (!found) throw new Error(`the OpenAPI document has no ${JSON.stringify(part)}`)
  return found
}

/** Returns the responses of a route, by status. */
export const responsesOf = (
  { operation }: Route,
  { components }: Document,
): (readonly [number, Response])[] =>
  Object.entries(operation.responses).map(([status, response]) => [
    Number(status),
    resolvedIn(response, components.responses),
  ])
