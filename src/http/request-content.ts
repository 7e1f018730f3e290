import { holdsSecret } from '../text/secret.ts'
import { entriesOf } from './params.ts'
import { LONGEST_SECRET, redactedParams, redactedText } from './redact.ts'
import type { Given } from './request.ts'
import type { RequestContentShape } from './schemas/request.ts'

/** paytwin: the maximum length of kept parameters and of a kept response, in characters. */
export const CONTENT_LENGTH = 16_384
/** paytwin: the maximum length of all kept contents, in characters. Beyond it, the oldest are dropped. */
export const TOTAL_LENGTH = 4 * 1_048_576

/** The body of a request, and the body of its response. */
export type RequestContent = {
  readonly format: 'form' | 'json' | null
  /** JSON without secrets; null if the body has none or could not be read. */
  readonly params: string | null
  readonly idempotencyKey: string | undefined
  /** The text of the response, or its beginning; null for a stream or a page. */
  readonly response: string | Buffer | null
  readonly isCut: boolean
  /** The length of all, in characters. */
  readonly length: number
}

type Exchanged = {
  /** Undefined if no body was read. */
  readonly body: Given | undefined
  readonly idempotencyKey: string | undefined
  /** The body of the response; null for a stream or a page. */
  readonly text: string | null
  /** Whether the response can have secrets that are kept nowhere else: tokens, or what an error quotes. */
  readonly isSecret: boolean
}

/**
 * Makes the content of a request for the request log. Parameters are copied without secrets at once, because a body can have what
 * is kept nowhere else, such as the number of a card. A response is only referenced, because masking takes longer than most
 * requests: it is masked when it is shown, unless it can have secrets that are kept nowhere else.
 */
export function contentOf({ body, idempotencyKey, text, isSecret }: Exchanged): RequestContent {
  const sent = body && redactedParams(body.raw, CONTENT_LENGTH)
  const length = text?.length ?? 0
  const isLong = length > CONTENT_LENGTH
  const shown = text === null ? null : keptBeginning(text, isSecret)
  // A part of a text would keep all of it in memory.
  const response = shown !== null && isLong ? Buffer.from(shown) : shown
  return {
    format: body === undefined ? null : body.isForm ? 'form' : 'json',
    params: sent?.text ?? null,
    idempotencyKey,
    response,
    isCut: isLong || sent?.isCut === true,
    length: (sent?.text.length ?? 0) + Math.min(length, CONTENT_LENGTH),
  }
}

/** Returns the kept beginning of a response. A secret that begins in it is masked as a whole. To mask a whole long response takes too long. */
function keptBeginning(text: string, isSecret: boolean): string {
  const kept = text.slice(0, CONTENT_LENGTH)
  if (!isSecret) return kept
  const examined = text.slice(0, CONTENT_LENGTH + LONGEST_SECRET)
  if (!holdsSecret(examined)) return kept
  const masked = redactedText(examined)
  return masked.slice(0, masked.length - (examined.length - kept.length))
}

/** Shows the content of a request, without secrets. */
export const presentContent = ({
  format,
  params,
  idempotencyKey,
  response,
  isCut,
}: RequestContent): RequestContentShape => ({
  body_format: format,
  params: params === null ? null : (withLists(JSON.parse(params)) as Record<string, unknown>),
  idempotency_key: idempotencyKey === undefined ? null : redactedText(idempotencyKey),
  response_body:
    response === null ? null : redactedText(response.toString()) + (typeof response === 'string' ? '' : '…'),
  is_cut: isCut,
})

/** Makes lists of the objects with indexes as keys that are the lists of a form. */
function withLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const list = entriesOf(value)
  if (list && list.length > 0) return list.map(withLists)
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, withLists(child)]))
}

/** The contents of the newest requests, by the places of the requests in a ring. */
export class RequestContents {
  readonly #ring: (RequestContent | undefined)[]
  #length = 0
  /** The number of requests that were added, and of those whose contents were dropped. */
  #added = 0
  #dropped = 0

  constructor(places: number) {
    this.#ring = new Array(places)
  }

  add(content: RequestContent): void {
    if (this.#added - this.#dropped >= this.#ring.length) this.#dropOldest()
    this.#ring[this.#added % this.#ring.length] = content
    this.#added += 1
    this.#length += content.length
    while (this.#length > TOTAL_LENGTH) this.#dropOldest()
  }

  /** Returns the content of a request by its number, which counts from 0; undefined if it was dropped. */
  get(number: number): RequestContent | undefined {
    return number >= this.#dropped && number < this.#added
      ? this.#ring[number % this.#ring.length]
      : undefined
  }

  #dropOldest(): void {
    const place = this.#dropped % this.#ring.length
    this.#length -= this.#ring[place]?.length ?? 0
    this.#ring[place] = undefined
    this.#dropped += 1
  }
}
