import { readFileSync, writeFileSync } from 'node:fs'
import { openSandbox } from '../daemon/sandbox.ts'
import type { JsonSchema } from '../http/openapi/json-schema.ts'
import { describe, templateOf } from '../http/openapi.ts'
import type { Registered } from '../http/route.ts'
import { resourceTypes } from '../library/resource-types.ts'
import { type DescribedRoute, routeTypes } from '../library/route-types.ts'

/**
 * A build step: combines the declarations of the library's modules and the resource types of the OpenAPI document in one
 * file without imports. Arguments: the folder with the compiler's declarations, and the target folder.
 */
const [, , emitted = '', target = ''] = process.argv
const MODULES = ['library/refused', 'library/routed', 'library/api', 'library/create', 'library/verify']
/** The modules become one file, so their imports of each other are removed. */
const IMPORT = /^import [^;]+;\n/gm

/** Links to the contract are removed, because the package does not contain it. */
const SOURCE = /^ *\* (?:See docs\/contract\/|Source: ).*\n/gm

const declared = (module: string) => readFileSync(`${emitted}/${module}.d.ts`, 'utf8').replaceAll(SOURCE, '')

type Operation = {
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } }
  }
}

/** Returns the routes for merchants' keys. */
function describedRoutes(routes: readonly Registered[], paths: object): DescribedRoute[] {
  return routes
    .filter(({ path, audience }) => path.startsWith('/v1/') && /^(merchant|public)$/.test(audience))
    .map(({ method, path, summary, returns }) => {
      const operation: Operation = Reflect.get(Reflect.get(paths, templateOf(path)), method)
      const params = operation.requestBody?.content['application/json'].schema
      return { method, path: templateOf(path), summary, params, responses: returns.name }
    })
}

/** Writes the types of the resources and the routes. */
async function apiTypes(): Promise<string[]> {
  const sandbox = await openSandbox({ database: ':memory:' })
  const { paths, components } = describe({ routes: sandbox.routes, url: '', version: '' })
  await sandbox.close()
  return [resourceTypes(components.schemas), routeTypes(describedRoutes(sandbox.routes, paths))]
}

/** The declarations use Symbol.asyncDispose, which the libraries of older targets do not declare. */
const LIBRARIES = '/// <reference lib="esnext.disposable" />'
const modules = MODULES.map((module) => declared(module).replaceAll(IMPORT, ''))
void apiTypes().then((types) =>
  writeFileSync(`${target}/library.d.cts`, [LIBRARIES, ...types, ...modules].join('\n')),
)
writeFileSync(`${target}/library.d.mts`, "export * from './library.cjs'\n")
writeFileSync(
  `${target}/vitest.d.mts`,
  declared('library/vitest').replace(/'\.\/api\.(ts|js)'|"\.\/api\.(ts|js)"/, "'./library.mjs'"),
)
const stripeJs = [
  declared('stripe-js/types'),
  'export declare const loadStripe: LoadStripe',
  'export declare const Stripe: StripeConstructor\n',
].join('\n')
for (const extension of ['cts', 'mts']) writeFileSync(`${target}/stripe-js.d.${extension}`, stripeJs)
