import type { Reply, Send, WebhookRequest } from '../webhooks/sender.ts'
import type { ReceivedWebhook, WebhookHandler } from './api.ts'
import type { Event } from './resources.ts'

/** The URL of handlers in this process. `.test` is reserved and never resolves (RFC 6761). */
const LOCAL_URL = 'http://webhooks.paytwin.test/'
/** The maximum length of a stored response body, in characters. */
const MAX_BODY_LENGTH = 1_024

/** Sends the webhooks of a sandbox, to handlers in this process or over the network, and records every attempt. */
export class WebhookInbox {
  #received: ReceivedWebhook[] = []
  readonly #handlers: WebhookHandler[] = []
  readonly #post: Send

  /** @param post - sends over the network */
  constructor(post: Send) {
    this.#post = post
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
    const reply = handler ? await handled(handler, letter) : await this.#post(letter, signal)
    const event: Event = JSON.parse(letter.body)
    const error = reply.status === null ? reply.error : null
    const { url, headers, body } = letter
    // An attempt that was under way when the inbox was emptied belongs to the previous state.
    received.push({ url, headers, body, event, status: reply.status, error })
    return reply
  }

  #handlerAt(url: string): WebhookHandler | undefined {
    return url.startsWith(LOCAL_URL) ? this.#handlers[Number(url.slice(LOCAL_URL.length)) - 1] : undefined
  }
}

/** Calls a handler. If it throws, the attempt counts as unanswered. */
async function handled(handler: WebhookHandler, { url, headers, body }: WebhookRequest): Promise<Reply> {
  try {
    const response = await handler(new Request(url, { method: 'POST', headers, body }))
    return { status: response.status, body: (await response.text()).slice(0, MAX_BODY_LENGTH) }
  } catch (error) {
    return { status: null, error: `The handler threw ${String(error)}` }
  }
}
