import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { parameterInvalid } from '../core/errors.ts'
import { decodeForm, decodeJson, MAX_PARAMETERS, type Raw, refuseTooMany, VALUE_BYTES } from './form.ts'
import type { Incoming, Reading } from './incoming.ts'
import { readNodeBody, readStream } from './node-body.ts'

/** The size limit of a body, in bytes, unless a route has one of its own. See docs/contract/requests.md#limits. */
export const MAX_BODY_BYTES = 1_048_576

/** The limits of a body: its size in bytes, and the number of its parameters, nested ones included. */
export type BodyLimits = { readonly bytes: number; readonly parameters: number }

/** The limits of a body, unless a route has its own. */
export const BODY_LIMITS: BodyLimits = { bytes: MAX_BODY_BYTES, parameters: MAX_PARAMETERS }

/** The parameters of a request before conversion, and whether their scalars are strings of a form. */
export type Given = { readonly raw: Raw; readonly isForm: boolean }

type ReadOptions = {
  readonly onlyOnce?: boolean
  readonly maxParameters?: number
  /** Waits until a query may be parsed; undefined if it may be at once. A body waits when it is read. */
  readonly turn?: () => Promise<void> | undefined
  /** Counts the memory that the parameters take, in bytes, before they are parsed. @throws ApiError rate_limit */
  readonly count?: (bytes: number) => void
}

/** Does work after a wait, or at once without one. */
export const inTurn = <T>(waiting: Promise<void> | undefined, work: () => T): T | Promise<T> =>
  waiting ? waiting.then(work) : work()

/**
 * Returns a function that reads the parameters of a request: the query of a GET, the body of a POST, and either of a DELETE. It
 * reads them once, because a request may be served again. It throws
 * ApiError parameter_invalid, param null, if the body is malformed, has an unsupported content type or too many parameters; rate_limit if there is no room for them.
 * @param readBody - reads the body; not called for a GET
 * @param options.turn - see ReadOptions
 * @param options.onlyOnce - whether a repeated form parameter is an error, as in OAuth
 * @param options.maxParameters - the maximum number of parameters, if it is not that of other requests
 * @param onBody - called with the parameters of the body, if it has some
 * See docs/contract/requests.md#bodies.
 */
export function paramsReader(
  c: Incoming,
  readBody: () => Promise<string>,
  options: ReadOptions = {},
  onBody?: (given: Given) => void,
): () => Given | Promise<Given> {
  let reading: Given | Promise<Given> | undefined
  return () => {
    reading ??=
      c.req.method === 'GET'
        ? inTurn(options.turn?.(), () => queryParams(c, options))
        : readBodyParams(c, readBody, options, onBody)
    return reading
  }
}

async function readBodyParams(
  c: Incoming,
  readBody: () => Promise<string>,
  options: ReadOptions,
  onBody?: (given: Given) => void,
): Promise<Given> {
  const { method } = c.req
  const query = queryOf(c.req.url)
  refuseEncoded(c.req.header('content-encoding'))
  const body = await readBody()
  if (method === 'DELETE' && body === '' && query !== '') return queryParams(c, options)
  const given = decodeBody(body, mediaTypeOf(c.req.header('content-type')), options)
  if (body !== '') onBody?.(given)
  return given
}

function decodeBody(body: string, type: string, options: ReadOptions): Given {
  if (type === FORM) {
    // `curl -d '{…}'` sends JSON with the content type of a form. Parsed as a form, it would be one unknown parameter.
    if (body.trimStart().startsWith('{'))
      throw parameterInvalid(null, 'The body looks like JSON: set the content type to application/json')
    return decode(body, 'form', options)
  }
  if (type === 'application/json' || body === '') return decode(body, 'json', options)
  throw parameterInvalid(
    null,
    `Unsupported content type '${type}': use application/json or application/x-www-form-urlencoded`,
  )
}

/** Reads the parameters in a request's query. @throws ApiError parameter_invalid, rate_limit */
const queryParams = (c: Incoming, { count }: Pick<ReadOptions, 'count'>): Given =>
  decode(queryOf(c.req.url), 'form', count ? { count } : {})

/** Counts and parses parameters. @throws ApiError parameter_invalid, rate_limit */
function decode(text: string, format: 'form' | 'json', options: Omit<ReadOptions, 'turn'>): Given {
  const values = refuseTooMany(text, format, options.maxParameters)
  options.count?.(VALUE_BYTES * values)
  return format === 'form'
    ? { raw: decodeForm(text, options), isForm: true }
    : { raw: decodeJson(text), isForm: false }
}

const FORM = 'application/x-www-form-urlencoded'

function mediaTypeOf(header = ''): string {
  if (header === FORM) return FORM
  return header.split(';')[0]?.trim().toLowerCase() ?? ''
}

/** Refuses encoded bodies. Nothing is decompressed, so a small request cannot become large. */
function refuseEncoded(encoding = 'identity'): void {
  if (encoding.trim().toLowerCase() === 'identity') return
  throw parameterInvalid(null, `Unsupported content encoding '${encoding}': send the body without encoding`)
}

/** The reading of a body of the operator. */
const UNCOUNTED: Reading = { add: () => undefined, turn: () => undefined }

/**
 * Reads the body of a request.
 * @param limit - the maximum size in bytes
 * @throws ApiError parameter_invalid, param null, if the body is larger
 */
export async function readBody(
  c: Context,
  limit: number,
  { add, turn }: Reading = UNCOUNTED,
): Promise<string> {
  const tooLarge = () => parameterInvalid(null, `The body is larger than ${limit} bytes`)
  const announced = c.req.header('content-length')
  if (Number(announced ?? 0) > limit) throw tooLarge()
  // Without a content length, the size is counted as the body arrives.
  let size = 0
  const count = (bytes: number) => {
    size += bytes
    if (size > limit) throw tooLarge()
    add(bytes)
  }
  const { incoming } = (c.env ?? {}) as { incoming?: IncomingMessage }
  // Hono would read an empty body if the connection was closed before.
  return incoming ? readNodeBody(incoming, { add: count, turn }) : readStream(c.req.raw, count)
}

/** Returns the query of a URL or of a path, without its question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1).replace(/#.*$/, '')
}
