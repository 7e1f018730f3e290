import type { JsonSchema } from '../http/openapi/json-schema.ts'
import { docOf, fieldsOf, referredType } from './resource-types.ts'

/** The parts of a route of /v1 that the types of the library use. */
export type DescribedRoute = {
  readonly method: 'get' | 'post' | 'delete'
  /** Such as `/v1/customers/{id}`. */
  readonly path: string
  readonly summary: string
  /** The parameters of its body; undefined if it has none. */
  readonly params: JsonSchema | undefined
  /** The component of its response. */
  readonly responses: string
}

/** The type of the routes of each method. */
const TABLES = { get: 'GetRoutes', post: 'PostRoutes', delete: 'DeleteRoutes' } as const

/** Writes the parameters and responses of all routes as TypeScript, for the types of `get`, `post` and `delete`. */
export function routeTypes(routes: readonly DescribedRoute[]): string {
  const words = new Set(routes.flatMap(({ path }) => path.split('/').filter((word) => /^\w+$/.test(word))))
  return [
    '/** The fixed parts of the paths of /v1. */',
    `export type PathWord = ${[...words].map((word) => `'${word}'`).join(' | ')}`,
    '',
    ...Object.entries(TABLES).flatMap(([method, name]) => [
      `/** The ${method.toUpperCase()} routes of /v1, with the parameters in their bodies and their responses. */`,
      `export type ${name} = {`,
      ...routes.filter((route) => route.method === method).map(routeType),
      '}',
      '',
    ]),
  ].join('\n')
}

const routeType = ({ path, summary, params, responses }: DescribedRoute): string =>
  [
    `${docOf(summary, '  ')}  readonly '${path.replaceAll(/\{\w+\}/g, '{id}')}': {`,
    `    readonly params: ${params ? `{\n${fieldsOf(params, '    ', { isInput: true })}    }` : '{ readonly [name: string]: never }'}`,
    `    readonly response: ${referredType(responses)}`,
    '  }',
  ].join('\n')
