import { readFileSync, writeFileSync } from 'node:fs'
import { createApp } from './http/app.ts'
import { componentSchemas } from './http/openapi/json-schema.ts'
import { resourceTypes } from './library/resource-types.ts'

/**
 * A step of the build: puts what the library's modules declare into one file, with the resources as the API's description has
 * them. So its types need nothing but themselves. Takes the folder with the compiler's declarations, and where to write.
 */
const [, , emitted = '', target = ''] = process.argv
const MODULES = ['library/refused', 'library/api', 'library/create', 'library/verify']
/** Modules that are one file have no need to import each other. */
const IMPORT = /^import [^;]+;\n/gm

/** Links to the contract are for people who have the repository. */
const SOURCE = /^ *\* (?:See docs\/contract\/|Source: ).*\n/gm

const declared = (module: string) => readFileSync(`${emitted}/${module}.d.ts`, 'utf8').replaceAll(SOURCE, '')
// The schemas are known once the routes are.
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
