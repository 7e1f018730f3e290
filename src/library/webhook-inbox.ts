import type { Letter, Reply, Send } from '../webhooks/sender.ts'
import type { ReceivedWebhook, WebhookHandler } from './api.ts'
import type { Event } from './resources.ts'

/** Webhooks that stay in this process have addresses that lead nowhere: `.test` is reserved for that (RFC 6761). */
const NOWHERE = 'http://webhooks.paytwin.test/'
/** How much of an answer is kept, in characters. */
const KEPT = 1_024

/**
 * Takes the webhooks of a sandbox: hands them to handlers in this process, posts those that have another address, and
 * remembers all of them.
 */
export class WebhookInbox {
  #received: ReceivedWebhook[] = []
  readonly #handlers: WebhookHandler[] = []
  readonly #post: Send

  /** @param post - posts over the network */
  constructor(post: Send) {
    this.#post = post
  }

  /** An address at which a handler takes webhooks. */
  addressOf(handler: WebhookHandler): string {
    return `${NOWHERE}${this.#handlers.push(handler)}`
  }

  /** What a merchant's endpoints were sent. */
  of(merchant: string): readonly ReceivedWebhook[] {
    return this.#received.filter(({ event }) => event.merchant_id === merchant)
  }

  /** Handlers stay: a snapshot may bring their endpoints back. */
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
    // What was on its way when the inbox was emptied belongs to what was before.
    received.push({ url, headers, body, event, status: reply.status, error })
    return reply
  }

  #handlerAt(url: string): WebhookHandler | undefined {
    return url.startsWith(NOWHERE) ? this.#handlers[Number(url.slice(NOWHERE.length)) - 1] : undefined
  }
}

/** A handler that throws is a receiver that does not answer. */
async function handled(handler: WebhookHandler, { url, headers, body }: Letter): Promise<Reply> {
  try {
    const response = await handler(new Request(url, { method: 'POST', headers, body }))
    return { status: response.status, body: (await response.text()).slice(0, KEPT) }
  } catch (error) {
    return { status: null, error: `The handler threw ${String(error)}` }
  }
}
