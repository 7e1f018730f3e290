import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERROR_CODES } from '../../src/http/error-codes.ts'
import { type Body, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import { expectRefusal, FORM, invalid, openStream, unknown } from './support.ts'

const HOST = { Host: 'localhost:4242' }
const describeTwin = (twin: Twin, headers: Record<string, string> = {}): Promise<TwinResponse> =>
  twin.request('GET', '/openapi.json', undefined, { ...HOST, ...headers })

let twin: Twin
let document: Body
beforeAll(async () => {
  twin = await startTwin()
  document = (await describeTwin(twin)).body
})
afterAll(() => twin.close())

type Operation = { readonly method: string; readonly path: string; readonly operation: Body }

const operations = (): Operation[] =>
  Object.entries<Body>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Body>(methods).map(([method, operation]) => ({ method, path, operation })),
  )

const operationAt = (method: string, path: string): Body => document.paths[path][method]

/** Resolves a reference in the document. */
const resolved = (part: Body): Body =>
  part.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((at: Body, step: string) => at[step], document)
    : part

/** Returns the responses of an operation, by status, with references resolved. */
const responsesOf = ({ responses }: Body): [number, Body][] =>
  Object.entries<Body>(responses).map(([status, response]) => [Number(status), resolved(response)])

const jsonOf = (described: Body): Body => described.content['application/json']

/** Returns whether a response is an HTML page. */
const isPage = ({ operation }: Operation): boolean =>
  responsesOf(operation).some(([status, { content }]) => status < 400 && 'text/html' in content)

describe('GET /openapi.json', () => {
  test('needs no key, and carries the headers of every response', async () => {
    const { status, headers } = await describeTwin(twin, { Authorization: '' })
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('application/json')
    expect(headers.get('Request-Id')).toMatch(/^req_/)
    expect(headers.get('X-API-Version')).toBe('2026-03-09')
  })

  test('is not shown to other hosts and origins', async () => {
    expectRefusal(await describeTwin(twin, { Host: 'evil.example' }), invalid('Host'))
    expectRefusal(await describeTwin(twin, { Origin: 'http://evil.example' }), invalid('Host'))
  })

  test.each(['POST', 'DELETE', 'PUT'])('is not there for %s', async (method) => {
    expectRefusal(await twin.request(method, '/openapi.json', undefined, HOST), unknown(null))
  })

  test('is the same each time, and of every twin', async () => {
    const other = await startTwin({ seed: '2', now: '2030-01-01T00:00:00Z', strictParams: true })
    expect((await describeTwin(other)).body).toEqual(document)
    await other.close()
  })

  test('leaves the twin as it was', async () => {
    const untouched = await startTwin()
    await describeTwin(untouched)
    expect((await untouched.get('/v1/events')).data).toEqual([])
    await untouched.close()
  })
})

describe('the document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(structuredClone(document))
    expect({ valid, errors, version: validator.version }).toEqual({
      valid: true,
      errors: undefined,
      version: '3.1',
    })
  })

  test('describes every route that is registered, and no other', () => {
    const registered = twin.sandbox.routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    )
    const described = operations().map(({ method, path }) => `${method} ${path}`)
    expect(described.toSorted()).toEqual(registered.toSorted())
    expect(new Set(registered).size).toBe(registered.length)
  })

  test('has every route of the application', () => {
    const registered = new Set(
      twin.sandbox.routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    )
    const served = twin.sandbox.app.routes
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => /^(GET|POST|DELETE) \/(v1|_paytwin)\//.test(route))
    expect([...new Set(served)].filter((route) => !registered.has(route))).toEqual([])
  })

  test('names every operation once', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
  })

  test('explains every field and every parameter', () => {
    const unexplained: string[] = []
    const look = (schema: Body, at: string): void => {
      for (const [name, child] of Object.entries<Body>(schema.properties ?? {})) {
        if (!child.description && !child.$ref) unexplained.push(`${at}.${name}`)
        look(child, `${at}.${name}`)
      }
      if (schema.items) look(schema.items, `${at}[]`)
      for (const option of schema.anyOf ?? []) look(option, at)
    }
    for (const [name, schema] of Object.entries<Body>(document.components.schemas)) {
      if (!schema.description) unexplained.push(name)
      look(schema, name)
    }
    for (const { method, path, operation } of operations()) {
      for (const parameter of operation.parameters.map(resolved)) {
        if (!parameter.description) unexplained.push(`${method} ${path} ${parameter.name}`)
        look(parameter.schema, `${method} ${path} ${parameter.name}`)
      }
      if (operation.requestBody) look(jsonOf(operation.requestBody).schema, `${method} ${path}`)
    }
    expect(unexplained).toEqual([])
  })

  test('states what the schemas check', () => {
    const { schema } = jsonOf(operationAt('post', '/v1/payment_intents').requestBody)
    expect(schema.required).toEqual(['amount', 'currency'])
    expect(schema.properties.amount).toMatchObject({ type: 'integer', minimum: 1, maximum: 99_999_999 })
    expect(schema.properties.confirm).toMatchObject({ type: 'boolean', default: false })
  })

  test('describes every body as JSON and as a form', () => {
    const bodies = operations().flatMap(({ operation }) => operation.requestBody ?? [])
    for (const { content } of bodies) {
      expect(Object.keys(content)).toEqual(['application/json', FORM['Content-Type']])
      expect(content[FORM['Content-Type']].schema).toEqual(content['application/json'].schema)
    }
  })

  test('writes nested query parameters as the service reads them', () => {
    const named = (name: string) =>
      operationAt('get', '/v1/events').parameters.find((parameter: Body) => parameter.name === name)
    expect(named('types[]')).toMatchObject({ in: 'query', style: 'form', explode: true })
    expect(named('created')).toMatchObject({ in: 'query', style: 'deepObject', explode: true })
    expect(named('created').schema.anyOf.map(({ type }: Body) => type)).toEqual(['integer', 'object'])
  })

  test('states who may call a route', () => {
    const securityOf = (method: string, path: string) =>
      operationAt(method, path).security.flatMap((scheme: Body) => Object.keys(scheme))
    const withKey = ['basic', 'bearer']
    expect(securityOf('post', '/v1/refunds')).toEqual([...withKey, 'oauth'])
    expect(operationAt('post', '/v1/refunds').security[2]).toEqual({ oauth: ['read_write'] })
    expect(operationAt('get', '/v1/refunds').security[2]).toEqual({ oauth: ['read_only'] })
    const withAny = [...withKey, 'publishable', 'oauth']
    expect(securityOf('post', '/v1/payment_intents/{id}/confirm')).toEqual(withAny)
    expect(securityOf('get', '/v1/payment_intents/{id}')).toEqual(withAny)
    expect(securityOf('get', '/v1/test_helpers/clock')).toEqual(withKey)
    expect(securityOf('post', '/v1/oauth/authorizations')).toEqual(withKey)
    expect(securityOf('post', '/v1/oauth/token')).toEqual(['app'])
    expect(securityOf('get', '/v1/oauth/authorize')).toEqual([])
    expect(document.components.securitySchemes.app).toMatchObject({ type: 'http', scheme: 'basic' })
    expect(securityOf('get', '/_paytwin/status')).toEqual(['operator'])
    expect(securityOf('get', '/_paytwin/health')).toEqual([])
    const isPublic = ({ operation }: Operation) =>
      operation.security.some((scheme: Body) => 'publishable' in scheme)
    expect(operations().filter(isPublic)).toHaveLength(2)
  })

  test('describes the consent page and its redirect', () => {
    const { responses } = operationAt('get', '/v1/oauth/authorize')
    expect(Object.keys(responses[200].content)).toEqual(['text/html'])
    expect(responses[303].headers).toHaveProperty('Location')
    expect(Object.keys(responses[400].content)).toEqual(['application/json', 'text/html'])
    expect(Object.keys(operationAt('post', '/v1/oauth/authorize/decision').responses)).toEqual([
      '303',
      '400',
      '500',
    ])
  })

  test('describes both forms of errors for apps', () => {
    const { schema } = jsonOf(operationAt('post', '/v1/oauth/token').responses[400])
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    expect(schema).toEqual({ anyOf: [ref('OAuthError'), ref('OAuthFlatError')] })
  })

  test.each(['/v1/events', '/_paytwin/events'])('shows the stream of %s', (path) => {
    const { content } = operationAt('get', path).responses[200]
    expect(content['text/event-stream'].example).toMatch(/^: connected\n\nevent: invoice\./)
  })
})

describe('examples', () => {
  test('are there for every route', () => {
    const without = operations()
      .filter((operation) => !isPage(operation))
      .filter(({ operation }) =>
        responsesOf(operation).some(([status, response]) => status < 300 && !jsonOf(response).example),
      )
    expect(without.map(({ method, path }) => `${method} ${path}: add it to the story`)).toEqual([])
  })

  test('are there for every required body', () => {
    const required = operations().filter(
      (operation) => operation.operation.requestBody?.required && !isPage(operation),
    )
    const without = required.filter(({ operation }) => !jsonOf(operation.requestBody).example)
    expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([])
  })

  test('are there for every error that a route names', () => {
    for (const { operation } of operations()) {
      for (const [status, response] of responsesOf(operation)) {
        if (status < 400) continue
        const [, codes = ''] = /Codes: (.*)\.$/.exec(response.description) ?? []
        const shown = Object.keys(jsonOf(response).examples)
        if (codes !== '') expect(shown).toEqual(codes.split(', '))
        expect(shown).not.toEqual([])
      }
    }
  })

  test('match their schemas', () => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema({ $id: 'document', components: document.components })
    // Many operations share a schema, and compiling one takes far longer than a check.
    const schemas = new Map<string, Body>()
    const check = (schema: Body, example: unknown) => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
      const pointed = schemas.get(text) ?? JSON.parse(text)
      schemas.set(text, pointed)
      const isValid = ajv.validate(pointed, example)
      expect(isValid ? '' : `${ajv.errorsText()} ${JSON.stringify(example)}`).toBe('')
    }
    for (const { operation } of operations()) {
      const { requestBody } = operation
      if (requestBody && jsonOf(requestBody).example) {
        check(jsonOf(requestBody).schema, jsonOf(requestBody).example)
      }
      for (const [, response] of responsesOf(operation)) {
        const { schema, example, examples = {} } = jsonOf(response) ?? {}
        if (example) check(schema, example)
        for (const shown of Object.values<Body>(examples)) check(schema, resolved(shown).value)
      }
    }
  })
})

describe('every error', () => {
  test('has the url of its explanation', async () => {
    const { body } = await twin.request('GET', '/v1/customers?limit=0')
    expect(body.error.doc_url).toBe('http://localhost/docs/errors#parameter_invalid')
  })

  test('has it for the operator and for unknown paths too', async () => {
    const operator = { ...HOST, Authorization: `Bearer ${twin.sandbox.adminToken}` }
    for (const path of ['/_paytwin/zebras', '/zebras']) {
      const { body } = await twin.request('GET', path, undefined, operator)
      expect(body.error.doc_url).toBe('http://localhost/docs/errors#resource_missing')
    }
  })

  test('of a declined payment has it, also when replayed', async () => {
    const pay = () =>
      twin.request(
        'POST',
        '/v1/payment_intents',
        { amount: 100, currency: 'usd', payment_method: 'pm_card_chargeDeclined', confirm: true },
        { 'Idempotency-Key': 'declined' },
      )
    const first = await pay()
    expect(first.body.error.doc_url).toBe('http://localhost/docs/errors#card_declined')
    expect((await pay()).body).toEqual(first.body)
  })

  test('of authentication has no code to explain', async () => {
    const { body } = await twin.request('GET', '/v1/customers', undefined, { Authorization: 'Bearer no' })
    expect(body.error).toEqual({ type: 'authentication_error', message: 'Invalid API Key provided' })
  })

  test('has a code that is described', () => {
    const codes = document.components.schemas.Error.properties.error.properties.code.enum
    expect(codes).toEqual(Object.keys(ERROR_CODES))
  })
})

test('a stream sends events as described', async () => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addSchema({ $id: 'document', components: document.components })
  const stream = await openStream(twin)
  await twin.post('/v1/customers')
  const [event] = await stream.take(1)
  await stream.close()
  expect(ajv.validate({ $ref: 'document#/components/schemas/Event' }, event?.data)).toBe(true)
})

test('npm run openapi writes the document, and ends', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'paytwin-openapi-'))
  const file = join(folder, 'openapi.json')
  await promisify(execFile)('npm', ['run', '--silent', 'openapi', file])
  const { paths } = JSON.parse(await readFile(file, 'utf8'))
  expect(Object.keys(paths)).toEqual(Object.keys(document.paths))
  await rm(folder, { recursive: true })
})
