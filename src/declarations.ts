import { readFileSync, writeFileSync } from 'node:fs'
import { createApp } from './http/app.ts'
import { componentSchemas } from './http/openapi/json-schema.ts'
import { resourceTypes } from './library/resource-types.ts'

/**
 * A build step: combines the declarations of the library's modules and the resource types of the OpenAPI document in one
 * file without imports. Arguments: the folder with the compiler's declarations, and the target folder.
 */
const [, , emitted = '', target = ''] = process.argv
const MODULES = ['library/refused', 'library/api', 'library/create', 'library/verify']
/** The modules become one file, so their imports of each other are removed. */
const IMPORT = /^import [^;]+;\n/gm

/** Links to the contract are removed, because the package does not contain it. */
const SOURCE = /^ *\* (?:See docs\/contract\/|Source: ).*\n/gm

const declared = (module: string) => readFileSync(`${emitted}/${module}.d.ts`, 'utf8').replaceAll(SOURCE, '')
// Importing the routes registers the schemas.
void createApp
const resources = resourceTypes(componentSchemas())
writeFileSync(
  `${target}/library.d.cts`,
  [resources, ...MODULES.map((module) => declared(module).replaceAll(IMPORT, ''))].join('\n'),
)
writeFileSync(`${target}/library.d.mts`, "export * from './library.cjs'\n")
writeFileSync(
  `${target}/vitest.d.mts`,
  declared('library/vitest').replace(/'\.\/api\.(ts|js)'|"\.\/api\.(ts|js)"/, "'./library.mjs'"),
)
