import { asBlock, asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import { ERROR_CODES } from '../error-codes.ts'
import {
  type Document,
  nameOfRoute,
  type Parameter,
  type Response,
  type Route,
  resolvedIn,
  responsesOf,
} from './document.ts'
import { type Around, fieldLine, fieldLines, MARK_PARAMETER, typeOf } from './fields.ts'
import { isShared } from './shared.ts'

/** A route: what it does, what it takes, what it answers, who may ask. */
export function routeSection(route: Route, document: Document, around: Around): string {
  const { summary, requestBody } = route.operation
  const body = requestBody?.content['application/json']
  const parameters = [
    ...parameterLines(route, document, around),
    ...(body ? fieldLines(body.schema, around, MARK_PARAMETER) : []),
  ]
  const example = body?.example
  return [
    `#### ${asCode(nameOfRoute(route))}`,
    asMarkdown(summary),
    ...(parameters.length > 0 ? [`**Parameters**${whereOf(route)}:`, parameters.join('\n')] : []),
    ...(example === undefined ? [] : ['For example:', asBlock(JSON.stringify(example, null, 2), 'json')]),
    answerText(route, document, around),
    [keyText(route, document), ...headerTexts(route, document)].join(' '),
  ].join('\n\n')
}

/** Where the parameters go that do not stand in the path. */
const whereOf = ({ method, operation }: Route): string => {
  if (operation.requestBody) return ', in the body'
  return method === 'get' &&
    operation.parameters.some((parameter) => !('$ref' in parameter) && parameter.in === 'query')
    ? ', in the query'
    : ''
}

/** The parameters of the path and of the query; those that many lists have by their names alone. */
function parameterLines(route: Route, document: Document, around: Around): string[] {
  const all = parametersOf(route, document).filter((parameter) => parameter.in !== 'header')
  const shared = all.filter((parameter) => isShared(parameter, around.shared))
  const names = shared.map(({ name }) => asCode(name)).join(', ')
  return [
    ...all
      .filter((parameter) => !shared.includes(parameter))
      .flatMap((parameter) => parameterLine(parameter, around)),
    ...(shared.length > 0 ? [`- ${names}: see ${linkTo('Lists', 'Lists')}.`] : []),
  ]
}

/** A parameter of the path or of the query. */
export const parameterLine = (parameter: Parameter, around: Around): string[] =>
  fieldLine(parameter.name, { ...parameter.schema, description: parameter.description }, around, {
    mark: (isRequired) => (parameter.in === 'path' ? ', in the path' : MARK_PARAMETER(isRequired)),
    isRequired: parameter.required ?? false,
  })

export const parametersOf = ({ operation }: Route, { components }: Document): Parameter[] =>
  operation.parameters.map((parameter) => resolvedIn(parameter, components.parameters))

function answerText(route: Route, document: Document, around: Around): string {
  const responses = responsesOf(route, document)
  const successes = responses
    .filter(([status]) => status < 400)
    .map(([status, response]) => `${status}, ${successText(response, around)}`)
  const errors = responses
    .map(([status, { content }]) => [status, ownCodes(content['application/json']?.examples)] as const)
    .filter(([status, codes]) => status >= 400 && codes.length > 0)
    .map(([status, codes]) => `${status} ${codes.map((code) => linkTo(code, asCode(code))).join(', ')}`)
  return [
    `**Answers** ${successes.join('; ')}.`,
    ...(errors.length > 0 ? [`**Errors** ${errors.join('; ')}.`] : []),
  ].join(' ')
}

/** What comes back when all goes well: an object or a list, a stream of them too, or a page for people. */
function successText({ description, content }: Response, around: Around): string {
  const json = content['application/json']
  if (!json) return asMarkdown(description.charAt(0).toLowerCase() + description.slice(1)).replace(/\.$/, '')
  const type = typeOf(json.schema, around)
  return content['text/event-stream']
    ? `${type}; with ${asCode('Accept: text/event-stream')} a ${linkTo('Streams', 'stream')}`
    : type
}

/** What every route of its kind can answer, and what is therefore said once. */
export const EVERYWHERE = [
  'parameter_invalid',
  'parameter_unknown',
  'idempotency_key_reuse',
  'insufficient_scope',
  'rate_limit',
  'internal_error',
] as const

/** The codes of an answer that are the route's own business. An answer has an example of each of its codes. */
const ownCodes = (examples: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.keys(examples).filter(
    (name) => Object.hasOwn(ERROR_CODES, name) && !EVERYWHERE.some((code) => code === name),
  )

/** Who may ask, by the names of the security schemes. */
const KEYS: Readonly<Record<string, (scopes: readonly string[]) => string>> = {
  basic: () => 'secret key',
  bearer: () => 'secret key',
  publishable: () => 'publishable key',
  oauth: ([scope = '']) => `access token with the scope ${asCode(scope)}`,
  app: () => 'the id and the secret of an app',
  operator: () => 'admin token',
}

function keyText({ operation }: Route, { components }: Document): string {
  const schemes = operation.security.flatMap((scheme) => Object.entries(scheme))
  const keys = schemes.map(([name, scopes]) => {
    const told = KEYS[name]
    if (!told || !components.securitySchemes[name]) throw new Error(`nobody knows the key '${name}'`)
    return told(scopes)
  })
  return `**Key** ${keys.length === 0 ? 'none' : [...new Set(keys)].join(', or ')}.`
}

function headerTexts(route: Route, document: Document): string[] {
  const headers = parametersOf(route, document).filter((parameter) => parameter.in === 'header')
  const names = headers.map(({ name }) => linkTo('Headers', asCode(name)))
  return names.length === 0 ? [] : [`**Headers** ${names.join(', ')}.`]
}
