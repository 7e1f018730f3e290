import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiReference } from '../../src/build/reference/reference.ts'
import { EVENT_TYPES } from '../../src/core/kinds.ts'
import { ERROR_CODES } from '../../src/http/error-codes.ts'
import type { OpenApi } from '../../src/http/openapi.ts'
import { anchorsIn, deadLinksIn, documentText, sectionOf } from '../reference.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'

const TEXT = documentText('api.md')

let twin: Twin
let document: Body
beforeAll(async () => {
  twin = await startTwin()
  document = (await twin.request('GET', '/openapi.json', undefined, { Host: 'localhost:4242' })).body
})
afterAll(() => twin.close())

const resolved = (part: Body): Body => {
  const steps: string[] = part.$ref ? part.$ref.slice(2).split('/') : []
  return steps.length === 0 ? part : steps.reduce((at: Body, step) => at[step], document)
}

type Route = { readonly name: string; readonly operation: Body; readonly section: string }

const routes = (): Route[] =>
  Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`
      return { name, operation, section: sectionOf(TEXT, `\`${name}\``) }
    }),
  )

/** Returns the expected beginnings of lines for all fields of a schema, nested ones included. */
function linesFor(schema: Body, depth = 0): string[] {
  const parts: Body[] = [...(schema.anyOf ?? []), schema.items, schema.additionalProperties].filter(
    (part) => typeof part === 'object',
  )
  const own = Object.entries<Body>(schema.properties ?? {}).flatMap(([name, field]) => [
    `${'  '.repeat(depth)}- \`${name}\` (`,
    ...linesFor(field, depth + 1),
  ])
  return [...own, ...parts.flatMap((part) => linesFor(part, depth))]
}

const missingIn = (section: string, beginnings: readonly string[]): string[] =>
  beginnings.filter((beginning) => !section.split('\n').some((line) => line.startsWith(beginning)))

test('docs/api.md is the output of npm run references', () => {
  expect(TEXT, 'run npm run references').toBe(apiReference(document as unknown as OpenApi))
})

describe('The reference of the API', () => {
  test('has every route, with all its parameters and all that is within them', () => {
    expect(routes().length).toBeGreaterThan(120)
    for (const { name, operation, section } of routes()) {
      expect(section.replaceAll(/[`\\]/g, ''), name).toContain(operation.summary)
      for (const parameter of operation.parameters.map(resolved))
        expect(section, name).toContain(`\`${parameter.name}\``)
      const body = operation.requestBody?.content['application/json'].schema
      expect(missingIn(section, body ? linesFor(body) : []), name).toEqual([])
    }
  })

  test('says for each parameter whether it is required', () => {
    const section = sectionOf(TEXT, '`POST /v1/payment_intents`')
    expect(section).toContain('- `amount` (integer from 1 to 99999999, required): ')
    expect(section).toContain('- `confirm` (boolean, default `false`): ')
  })

  test('has every error that a route returns, there or among those of all routes', () => {
    const everywhere =
      TEXT.split('\n').find((line) => line.startsWith('Each route lists its specific codes')) ?? ''
    for (const { name, operation, section } of routes()) {
      for (const response of Object.values<Body>(operation.responses).map(resolved)) {
        const examples = response.content?.['application/json']?.examples ?? {}
        const codes = Object.keys(examples).filter((code) => code in ERROR_CODES)
        const unnamed = codes.filter((code) => !`${section}${everywhere}`.includes(`](#${code})`))
        expect(unnamed, name).toEqual([])
      }
    }
  })

  test('lists the accepted keys', () => {
    const keyOf = (heading: string) =>
      /\*\*Key\*\* (.*?)\.( |$)/m.exec(sectionOf(TEXT, `\`${heading}\``))?.[1]
    expect(keyOf('POST /v1/customers')).toBe('secret key, or access token with the scope `read_write`')
    expect(keyOf('GET /v1/test_helpers/clock')).toBe('secret key')
    expect(keyOf('GET /v1/payment_intents/{id}')).toContain('publishable key')
    expect(keyOf('POST /v1/oauth/token')).toBe('client id and secret of an app')
    expect(keyOf('GET /_paytwin/status')).toBe('admin token')
    expect(keyOf('GET /_paytwin/health')).toBe('none')
  })

  test('explains every object with all its fields, once', () => {
    const isList = (schema: Body) => schema.properties?.has_more !== undefined
    const objects = Object.entries<Body>(document.components.schemas).filter(
      ([, schema]) => schema.properties && !isList(schema),
    )
    expect(objects.length).toBeGreaterThan(40)
    for (const [name, schema] of objects) {
      expect(missingIn(sectionOf(TEXT, `The ${name} object`), linesFor(schema)), name).toEqual([])
    }
  })

  test('explains the parameters and the form of lists', () => {
    const section = sectionOf(TEXT, 'Lists')
    const list = document.components.schemas.CustomerList
    const names = ['limit', 'starting_after', 'ending_before', 'created', 'expand[]'].map(
      (name) => `- \`${name}\` (`,
    )
    expect(missingIn(section, [...names, ...linesFor(list)])).toEqual([])
  })

  test('explains every code and names every type of event', () => {
    for (const [code, { type }] of Object.entries(ERROR_CODES)) {
      expect(sectionOf(TEXT, `\`${code}\``)).toContain(type)
    }
    const types = sectionOf(TEXT, 'Event types')
    expect(EVENT_TYPES.filter((type) => !types.includes(`\`${type}\``))).toEqual([])
  })

  test('separates the API for merchants from that for the operator', () => {
    const operators = TEXT.indexOf('\n## For the operator')
    const places = routes().map(
      ({ name }) => [name.includes(' /_paytwin/'), TEXT.indexOf(`\n#### \`${name}\``)] as const,
    )
    expect(places.filter(([isOperators, place]) => place > operators !== isOperators)).toEqual([])
  })

  test('names each heading once, and leads nowhere else', () => {
    const anchors = anchorsIn(TEXT)
    expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([])
    expect(deadLinksIn(TEXT)).toEqual([])
  })
})
