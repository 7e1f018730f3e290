import { LimitedTurns } from '../engine/machine/limited-turns.ts'

/** Whose turn it takes to receive data. */
export type OfMerchant = { readonly turnOf?: unknown }

/** The number of bytes that are passed on in one turn: up to 5 ms, if a receiver makes the most of them. */
export const PIECE_BYTES = 4_096

/** The turns of what receivers of webhooks send: handshakes, whose steps can take some 50 ms, and later data. Merchants take turns. */
export const receivingTurns = new LimitedTurns<unknown>()
