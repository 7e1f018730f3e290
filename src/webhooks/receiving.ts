import { LimitedTurns } from '../engine/machine/limited-turns.ts'

/** Whose turn it takes to receive data. */
export type OfMerchant = {
  readonly turnOf?: unknown
  readonly turns?: LimitedTurns<unknown>
}

/** The number of bytes that are passed on in one turn: up to 5 ms, if a receiver makes the most of them. */
export const PIECE_BYTES = 4_096

/**
 * The turns of what receivers of webhooks send, by default: handshakes, whose steps can take some 0.4 s, and later data. Merchants take
 * turns.
 */
export const receivingTurns = new LimitedTurns<unknown>()
