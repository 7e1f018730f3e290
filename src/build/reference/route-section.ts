import { ERROR_CODES } from '../../http/error-codes.ts'
import { asBlock, asCode, asMarkdown, linkTo } from '../../text/markdown.ts'
import { curl } from './curl.ts'
import {
  type Document,
  nameOfRoute,
  type Parameter,
  type Response,
  type Route,
  resolvedIn,
  responsesOf,
} from './document.ts'
import { type Context, fieldLine, fieldLines, MARK_PARAMETER, typeOf } from './fields.ts'
import { isShared } from './shared.ts'

/** Describes a route: its summary, parameters, responses, errors and keys. */
export function routeSection(route: Route, document: Document, context: Context): string {
  const { summary, requestBody } = route.operation
  const body = requestBody?.content['application/json']
  const parameters = [
    ...parameterLines(route, document, context),
    ...(body ? fieldLines(body.schema, context, MARK_PARAMETER) : []),
  ]
  return [
    `#### ${asCode(nameOfRoute(route))}`,
    asMarkdown(summary),
    ...(parameters.length > 0 ? [`**Parameters**${whereOf(route)}:`, parameters.join('\n')] : []),
    ...(context.examples || body?.example === undefined
      ? []
      : ['Example:', asBlock(JSON.stringify(body.example, null, 2), 'json')]),
    responseText(route, document, context),
    [keyText(route, document), ...headerTexts(route, document)].join(' '),
    ...exampleBlocks(route, context),
  ].join('\n\n')
}

/** Shows the recorded request of a route as a curl command, its response, and the beginning of its stream. */
function exampleBlocks(route: Route, { examples }: Context): string[] {
  const key = `${route.method} ${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`
  const example = examples?.successes.get(key)
  const stream = examples?.streams.get(key)
  return [
    ...(examples && example
      ? [
          asBlock(curl(route, example, examples.url), 'sh'),
          asBlock(JSON.stringify(example.body, null, 2), `json Response: ${example.status}`),
        ]
      : []),
    ...(stream === undefined ? [] : [asBlock(stream.trimEnd(), 'text A stream')]),
  ]
}

/** Returns where parameters go: in the body, in the query or only in the path. */
const whereOf = ({ method, operation }: Route): string => {
  if (operation.requestBody) return ', in the body'
  return method === 'get' &&
    operation.parameters.some((parameter) => !('$ref' in parameter) && parameter.in === 'query')
    ? ', in the query'
    : ''
}

/** Lists the parameters in the path and the query. The parameters that all lists share are replaced by a link. */
function parameterLines(route: Route, document: Document, context: Context): string[] {
  const all = parametersOf(route, document).filter((parameter) => parameter.in !== 'header')
  const shared = all.filter((parameter) => isShared(parameter, context.shared))
  const names = shared.map(({ name }) => asCode(name)).join(', ')
  return [
    ...all
      .filter((parameter) => !shared.includes(parameter))
      .flatMap((parameter) => parameterLine(parameter, context)),
    ...(shared.length > 0 ? [`- ${names}: see ${linkTo('Lists', 'Lists')}.`] : []),
  ]
}

/** Formats a parameter in the path, the query or a header. */
export const parameterLine = (parameter: Parameter, context: Context): string[] =>
  fieldLine(parameter.name, { ...parameter.schema, description: parameter.description }, context, {
    mark: (isRequired) => (parameter.in === 'path' ? ', in the path' : MARK_PARAMETER(isRequired)),
    isRequired: parameter.required ?? false,
  })

const parametersOf = ({ operation }: Route, { components }: Document): Parameter[] =>
  operation.parameters.map((parameter) => resolvedIn(parameter, components.parameters))

function responseText(route: Route, document: Document, context: Context): string {
  const responses = responsesOf(route, document)
  const successes = responses
    .filter(([status]) => status < 400)
    .map(([status, response]) => `${status}, ${successText(response, context)}`)
  const errors = responses
    .map(([status, { content }]) => [status, ownCodes(content['application/json']?.examples)] as const)
    .filter(([status, codes]) => status >= 400 && codes.length > 0)
    .map(([status, codes]) => `${status} ${codes.map((code) => linkTo(code, asCode(code))).join(', ')}`)
  return [
    `**Returns** ${successes.join('; ')}.`,
    ...(errors.length > 0 ? [`**Errors** ${errors.join('; ')}.`] : []),
  ].join(' ')
}

/** Describes a successful response: an object, a list, a stream or a page. */
function successText({ description, content }: Response, context: Context): string {
  const json = content['application/json']
  if (!json) return asMarkdown(description.charAt(0).toLowerCase() + description.slice(1)).replace(/\.$/, '')
  const type = typeOf(json.schema, context)
  return content['text/event-stream']
    ? `${type}; with ${asCode('Accept: text/event-stream')} a ${linkTo('Streams', 'stream')}`
    : type
}

/** Error codes that most routes share. The chapter on errors lists them once. */
export const EVERYWHERE = [
  'parameter_invalid',
  'parameter_unknown',
  'idempotency_key_reuse',
  'insufficient_scope',
  'rate_limit',
  'internal_error',
] as const

/** Returns the error codes of a response that are not in EVERYWHERE. A response has one example for each of its codes. */
const ownCodes = (examples: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.keys(examples).filter(
    (name) => Object.hasOwn(ERROR_CODES, name) && !EVERYWHERE.some((code) => code === name),
  )

/** Describes the credentials of each security scheme. */
const KEYS: Readonly<Record<string, (scopes: readonly string[]) => string>> = {
  basic: () => 'secret key',
  bearer: () => 'secret key',
  publishable: () => 'publishable key',
  oauth: ([scope = '']) => `access token with the scope ${asCode(scope)}`,
  app: () => 'client id and secret of an app',
  operator: () => 'admin token',
}

function keyText({ operation }: Route, { components }: Document): string {
  const schemes = operation.security.flatMap((scheme) => Object.entries(scheme))
  const keys = schemes.map(([name, scopes]) => {
    const describeKey = KEYS[name]
    if (!describeKey || !components.securitySchemes[name])
      throw new Error(`unknown security scheme '${name}'`)
    return describeKey(scopes)
  })
  return `**Key** ${keys.length === 0 ? 'none' : [...new Set(keys)].join(', or ')}.`
}

function headerTexts(route: Route, document: Document): string[] {
  const headers = parametersOf(route, document).filter((parameter) => parameter.in === 'header')
  const names = headers.map(({ name }) => linkTo('Headers', asCode(name)))
  return names.length === 0 ? [] : [`**Headers** ${names.join(', ')}.`]
}
