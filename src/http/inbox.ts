import { resourceMissing } from '../core/errors.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { beginningOf, memoryOf } from '../text/beginning.ts'
import { eachSeparator } from '../text/separators.ts'
import type { ReceivedShape } from './schemas/inbox-webhook.ts'

/** The number of received webhooks that are kept for each merchant. See docs/contract/events-and-webhooks.md#inbox. */
const KEPT = 100
/** The number of characters of a body that are kept. */
const MAX_KEPT_BODY = 65_536
/** paytwin: the maximum memory of the webhooks of all merchants, in bytes. 100 small ones of each of 1,000 merchants take less. */
export const INBOX_BYTES = 2 ** 27
/** What a webhook takes besides its headers and its body, in bytes: its objects, and the id and the type of its event. */
const OBJECT_BYTES = 256
/** The longest id and type of an event, in characters. Those of the daemon are shorter. */
const MAX_EVENT_WORD = 255
/** More commas, lists and objects than the outermost object of an event has. */
const MAX_EVENT_PARTS = 200

/** The endpoint whose secret signed a webhook; or null, and the reason why it is not valid. */
export type Signer =
  | { readonly endpoint: string; readonly reason: null }
  | { readonly endpoint: null; readonly reason: string }

/** A webhook as it arrived. Header names are in lower case. */
export type Arrived = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

/** Finds the endpoint whose secret signed a webhook, in steps. */
type Verify = (merchant: MerchantState, arrived: Arrived) => Generator<void, Signer>

type Received = Signer & {
  readonly id: string
  /** Unix milliseconds on the wall clock. */
  readonly time: number
  /** As JSON, which takes half the memory of an object. */
  readonly headers: string
  readonly body: string
  readonly isCut: boolean
  readonly event: { readonly id: string; readonly type: string } | null
}

/** The webhooks of a merchant, newest first, and their memory in bytes. */
type Box = { readonly webhooks: Received[]; bytes: number }

/**
 * Keeps the last webhooks that the daemon received for each merchant, in memory. Beyond the memory of all, the oldest of the merchant
 * with the most are dropped, so that what arrives for one merchant displaces few webhooks of others.
 * See docs/contract/events-and-webhooks.md#inbox.
 */
export class Inbox {
  readonly #verify: Verify
  readonly #wall: () => number
  readonly #most: number
  readonly #boxes = new Map<MerchantState, Box>()
  #bytes = 0
  #count = 0

  /**
   * @param wall - the wall clock, in Unix milliseconds
   * @param most - the maximum memory of the webhooks of all merchants, in bytes
   */
  constructor(verify: Verify, wall: () => number, most = INBOX_BYTES) {
    this.#verify = verify
    this.#wall = wall
    this.#most = most
  }

  /** The memory of the webhooks of all merchants, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Verifies a webhook with the secrets of the merchant's endpoints, in steps, and keeps it. */
  *add(merchant: MerchantState, arrived: Arrived): Generator<void, Signer> {
    const signer = yield* this.#verify(merchant, arrived)
    // The state can be replaced between two steps.
    if (merchant.presence !== 'present') return signer
    this.#count += 1
    const { body, headers } = arrived
    this.#keep(merchant, {
      ...signer,
      id: `rcv_${this.#count}`,
      time: this.#wall(),
      headers: JSON.stringify(withoutCredentials(headers)),
      body: beginningOf(body, MAX_KEPT_BODY),
      isCut: body.length > MAX_KEPT_BODY,
      event: eventIn(body),
    })
    return signer
  }

  /** Drops the webhooks of merchants that were deleted, or that a restore or a reset replaced. */
  prune(): void {
    for (const [merchant, { bytes }] of this.#boxes) {
      if (merchant.presence === 'present') continue
      this.#boxes.delete(merchant)
      this.#bytes -= bytes
    }
  }

  /** Lists the webhooks of a merchant, newest first. */
  list(merchant: MerchantState): ReceivedShape[] {
    return this.#of(merchant).map((received) => present(merchant, received))
  }

  /** Returns a webhook of any of the merchants. @throws ApiError resource_missing */
  get(merchants: Iterable<MerchantState>, id: string): ReceivedShape {
    for (const merchant of merchants) {
      const found = this.#of(merchant).find((received) => received.id === id)
      if (found) return present(merchant, found)
    }
    throw resourceMissing('received webhook', id)
  }

  #of(merchant: MerchantState): readonly Received[] {
    return this.#boxes.get(merchant)?.webhooks ?? []
  }

  #keep(merchant: MerchantState, received: Received): void {
    const box = this.#boxes.get(merchant) ?? { webhooks: [], bytes: 0 }
    this.#boxes.set(merchant, box)
    box.webhooks.unshift(received)
    this.#grow(box, bytesOf(received))
    if (box.webhooks.length > KEPT) this.#dropOldest(box)
    while (this.#bytes > this.#most) {
      const largest = this.#largestBut(received)
      if (!largest) return
      this.#dropOldest(largest)
    }
  }

  /** Returns the box with the most, of those with a webhook besides one that was just received. */
  #largestBut(received: Received): Box | undefined {
    let largest: Box | undefined
    for (const box of this.#boxes.values())
      if (box.webhooks.at(-1) !== received && box.bytes > (largest?.bytes ?? 0)) largest = box
    return largest
  }

  #dropOldest(box: Box): void {
    const oldest = box.webhooks.pop()
    if (oldest) this.#grow(box, -bytesOf(oldest))
  }

  #grow(box: Box, bytes: number): void {
    box.bytes += bytes
    this.#bytes += bytes
  }
}

const bytesOf = ({ headers, body }: Received): number => OBJECT_BYTES + memoryOf(headers) + memoryOf(body)

const present = (
  { settings }: MerchantState,
  { id, time, event, headers, body, isCut, endpoint, reason }: Received,
): ReceivedShape => ({
  id,
  object: 'received_webhook',
  time,
  event: event?.id ?? null,
  event_type: event?.type ?? null,
  signed_by: endpoint,
  signature_error: reason,
  headers: JSON.parse(headers) as ReceivedShape['headers'],
  body,
  is_body_cut: isCut,
  livemode: false,
  merchant_id: settings.id,
})

/** Removes headers with secrets of the sender. Receivers of webhooks check the signature only. */
const withoutCredentials = ({ authorization, cookie, ...headers }: Arrived['headers']): Arrived['headers'] =>
  headers

/** Reads the id and the type of the event in a body; null for a body that is no event of the daemon. */
function eventIn(body: string): Received['event'] {
  let parsed: unknown
  try {
    parsed = JSON.parse(outermost(body))
  } catch {
    // The body is shown as it is, also if it is not JSON.
    return null
  }
  if (typeof parsed !== 'object' || parsed === null || !('id' in parsed) || !('type' in parsed)) return null
  const { id, type } = parsed
  return isEventWord(id) && isEventWord(type) ? { id, type } : null
}

/**
 * Returns a JSON text with all nested lists and objects empty, because parsing a megabyte of small ones takes half a second. Returns
 * an empty text if a bracket is missing, or if there are more members than an event has.
 */
function outermost(text: string): string {
  let outer = ''
  let end = 0
  let depth = 0
  let parts = 0
  eachSeparator(text, (separator, at) => {
    if (separator === ',') parts += depth === 1 ? 1 : 0
    else if (separator === '[' || separator === '{') {
      depth += 1
      if (depth === 2) {
        parts += 1
        outer += text.slice(end, at + 1)
      }
    } else {
      depth -= 1
      if (depth === 1) end = at
    }
    return parts <= MAX_EVENT_PARTS
  })
  return depth !== 0 || parts > MAX_EVENT_PARTS ? '' : outer + text.slice(end)
}

/** Whether a value can be the id or the type of an event. The dashboard's links cannot contain lone surrogates. */
const isEventWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_EVENT_WORD && value.isWellFormed()
