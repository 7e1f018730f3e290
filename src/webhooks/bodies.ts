import type { WebhookEndpoint } from '../core/webhook.ts'
import { unlessAborted, whenAborted } from '../engine/machine/abort.ts'
import { LimitedTurns } from '../engine/machine/limited-turns.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import type { Steps } from '../engine/machine/steps.ts'
import { TURN_LIMIT } from '../engine/machine/work-limits.ts'
import { FairSemaphore, type Share } from './turnstile.ts'

/** Writes the body of an event for an endpoint. */
export type Render = (
  merchant: MerchantState,
  event: string,
  endpoint: WebhookEndpoint,
) => string | Promise<string>

const MIB = 1_048_576

/** paytwin: the maximum size of all bodies that are being sent, in bytes. Each merchant can always send 1 MiB, or one larger body. */
export const SENT_BYTES = 256 * MIB
/** Returns the share of one merchant: a quarter, and always 1 MiB. */
const shareOf = (bytes: number): Share => ({ most: bytes / 4, ensured: MIB })

/** The event that a body shows, and an endpoint with the version in which it does. */
export type Content = {
  readonly merchant: MerchantState
  readonly event: string
  readonly endpoint: WebhookEndpoint
}

/** An attempt that needs a body. */
export type User = {
  /** Whether the attempt is still to be sent: its delivery may have been discarded. */
  readonly isWanted: () => boolean
  /** Aborts its wait for the body. */
  readonly ended: AbortSignal
}

type Body = Content & {
  /** The attempts that wait for it or send it. */
  readonly users: Set<User>
  /** Aborted when the last user has left. */
  readonly unused: AbortController
  /** Whether no user has had it since it was written. */
  isJustWritten: boolean
  bytes?: Promise<Buffer<ArrayBuffer> | undefined>
}

/**
 * The bodies of deliveries. All attempts that need a body at the same time share one, which is written and counted once. The bytes
 * of the bodies that are being sent are limited, and merchants share them. Writing an event with a large object takes up to 80 ms,
 * and signing it some more: both are done in turns of limited time, and each turn sends one body to one endpoint.
 */
export class Bodies {
  readonly #render: Render
  readonly #turns: LimitedTurns<MerchantState>
  readonly #room: FairSemaphore<MerchantState>
  /** Each merchant writes one body at a time: while that one waits for room, no other is written. */
  readonly #writing = new FairSemaphore<MerchantState>(Number.POSITIVE_INFINITY, { most: 1 })
  /** The bodies in use, by event and version. */
  readonly #shared = new WeakMap<MerchantState, Map<string, Body>>()

  /** @param steps - measures the turns: see LimitedTurns */
  constructor(
    render: Render,
    steps?: Steps,
    {
      maxBytes = SENT_BYTES,
      share = shareOf(maxBytes),
    }: { maxBytes?: number | undefined; share?: Share } = {},
  ) {
    this.#render = render
    this.#turns = new LimitedTurns(TURN_LIMIT, steps)
    this.#room = new FairSemaphore(maxBytes, share)
  }

  /**
   * Passes the body of an event to a function in a turn of the merchant, once there is room for it. The body counts until the functions
   * of all its users have ended. Rejects if it cannot be written.
   * @returns undefined if the body is no longer wanted
   */
  async use<T>(
    content: Content,
    user: User,
    use: (bytes: Buffer<ArrayBuffer>) => Promise<T>,
  ): Promise<T | undefined> {
    const body = this.#find(content)
    body.users.add(user)
    try {
      body.bytes ??= this.#open(body)
      const bytes = await unlessAborted(body.bytes, user.ended)
      if (!bytes) return undefined
      // The turn that wrote the body also sends it once. Each further endpoint takes a turn, so that a merchant with many endpoints has no
      // longer turns than others.
      const isItsTurn = body.isJustWritten && this.#turns.isFreeFor(content.merchant)
      body.isJustWritten = false
      if (!isItsTurn) await this.#turns.next(content.merchant)
      return user.isWanted() ? await use(bytes) : undefined
    } finally {
      body.users.delete(user)
      if (body.users.size === 0) {
        this.#forget(body)
        body.unused.abort()
      }
    }
  }

  #find(content: Content): Body {
    const key = keyOf(content)
    const shared = this.#shared.get(content.merchant) ?? new Map<string, Body>()
    this.#shared.set(content.merchant, shared)
    const body = shared.get(key) ?? {
      ...content,
      users: new Set(),
      unused: new AbortController(),
      isJustWritten: true,
    }
    shared.set(key, body)
    return body
  }

  /** Ends the sharing of a body: a later attempt gets a new one. */
  #forget(body: Body): void {
    const shared = this.#shared.get(body.merchant)
    if (shared?.get(keyOf(body)) === body) shared.delete(keyOf(body))
  }

  /** Writes a body once there is room for it: first to know its size, and again if it had to wait. */
  async #open(body: Body): Promise<Buffer<ArrayBuffer> | undefined> {
    const { merchant, unused } = body
    if (!(await this.#writing.enter(merchant, 1, unused.signal))) return undefined
    try {
      let bytes = await this.#write(body)
      if (!bytes) return undefined
      const size = bytes.length
      const entered = this.#room.enter(merchant, size, unused.signal)
      // What waits keeps no body.
      if (entered !== true) bytes = undefined
      if (!(await entered)) return undefined
      whenAborted(unused.signal, () => this.#room.leave(merchant, size))
      return bytes ?? (await this.#write(body))
    } finally {
      this.#writing.leave(merchant)
    }
  }

  /** @returns undefined if nobody wants the body in its turn */
  async #write(body: Body): Promise<Buffer<ArrayBuffer> | undefined> {
    const { merchant, event, endpoint, users } = body
    await this.#turns.next(merchant)
    if ([...users].some(({ isWanted }) => isWanted()))
      return Buffer.from(await this.#render(merchant, event, endpoint))
    this.#forget(body)
    return undefined
  }
}

const keyOf = ({ event, endpoint }: Content): string => `${event} ${endpoint.api_version}`
