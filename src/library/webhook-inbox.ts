import { keptPartOf } from '../webhooks/kept-body.ts'
import { type Reply, replyWithin, type Send, TIMEOUT_MS, type WebhookRequest } from '../webhooks/sender.ts'
import type { ReceivedWebhook, WebhookHandler } from './api.ts'
import type { Event } from './resources.ts'

/** The URL of handlers in this process. `.test` is reserved and never resolves (RFC 6761). */
const LOCAL_URL = 'http://webhooks.paytwin.test/'

/** Sends the webhooks of a sandbox, to handlers in this process or over the network, and records every attempt. */
export class WebhookInbox {
  #received: ReceivedWebhook[] = []
  readonly #handlers: WebhookHandler[] = []
  readonly #post: Send
  readonly #timeoutMs: number

  /**
   * @param post - sends over the network
   * @param timeoutMs - the time for a handler's response
   */
  constructor(post: Send, timeoutMs = TIMEOUT_MS) {
    this.#post = post
    this.#timeoutMs = timeoutMs
  }

  /** Registers a handler. @returns its URL */
  addressOf(handler: WebhookHandler): string {
    return `${LOCAL_URL}${this.#handlers.push(handler)}`
  }

  /** Lists the attempts to a merchant's endpoints. */
  of(merchant: string): readonly ReceivedWebhook[] {
    return this.#received.filter(({ event }) => event.merchant_id === merchant)
  }

  /** Empties the inbox. Handlers stay, because a snapshot may restore their endpoints. */
  empty(): void {
    this.#received = []
  }

  readonly send: Send = async (letter, signal) => {
    const received = this.#received
    const handler = this.#handlerAt(letter.url)
    const reply = handler ? await this.#handled(handler, letter, signal) : await this.#post(letter, signal)
    const { url, headers } = letter
    const body = letter.body.toString()
    const event: Event = JSON.parse(body)
    const error = reply.status === null ? reply.error : null
    // An attempt that was under way when the inbox was emptied belongs to the previous state.
    received.push({ url, headers, body, event, status: reply.status, error })
    return reply
  }

  /** Calls a handler. If it throws, returns an invalid response or does not answer in time, the attempt counts as unanswered. */
  #handled(handler: WebhookHandler, letter: WebhookRequest, signal: AbortSignal): Promise<Reply> {
    return replyWithin(this.#timeoutMs, signal, (limit) => unlessAborted(call(handler, letter), limit.signal))
  }

  #handlerAt(url: string): WebhookHandler | undefined {
    return url.startsWith(LOCAL_URL) ? this.#handlers[Number(url.slice(LOCAL_URL.length)) - 1] : undefined
  }
}

async function call(handler: WebhookHandler, { url, headers, body }: WebhookRequest): Promise<Reply> {
  try {
    return await replyOf(await handler(new Request(url, { method: 'POST', headers, body })))
  } catch (error) {
    return { status: null, error: `The handler threw ${textOf(error)}` }
  }
}

/** Reads the response of a handler. A handler that is not type-checked can return anything. */
async function replyOf(response: Response | undefined | null): Promise<Reply> {
  if (typeof response?.text !== 'function') return noReply('no Response')
  const { status } = response
  if (!isStatus(status))
    return noReply(`the status ${textOf(status)}, which is not an integer from 100 to 599`)
  // A stream may have no end. A Response of another kind can be read only as a whole.
  if (typeof response.body?.getReader === 'function')
    return { status, body: await keptPartOf(chunksOf(response.body)) }
  const body: unknown = await response.text()
  if (typeof body !== 'string') return noReply('a Response whose text() is not a string')
  return { status, body: await keptPartOf([Buffer.from(body)]) }
}

/** Reads a stream. Whether its source ends well after the last chunk that is read is no part of the response. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

const isStatus = (status: unknown): boolean =>
  Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 599

const noReply = (returned: string): Reply => ({ status: null, error: `The handler returned ${returned}` })

/** Returns the text of any value, which may have none. */
function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'an object that cannot be converted to a string'
  }
}

/** Settles as the work does, or rejects once the signal is aborted. A handler cannot be interrupted. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('It was aborted')), { once: true })
    work.then(resolve, reject)
  })
