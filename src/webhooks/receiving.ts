import { LimitedTurns } from '../engine/machine/limited-turns.ts'
import { OPERATOR } from '../engine/machine/turns.ts'

/** Whose receiver a connection has, and how what it sends is processed. */
export type Receiving = {
  /** The id of the merchant. Merchants share no connections. */
  readonly merchant: string
  /** Runs a callback in a turn of the merchant: handshakes, whose steps can take some 0.4 s, and later data. */
  readonly run: (callback: () => void) => void
}

/** The options of a connection. */
export type ReceivingOptions = { readonly receiving?: Receiving }

/** The number of bytes that are passed on in one turn: up to 5 ms, if a receiver makes the most of them. */
export const PIECE_BYTES = 4_096

const turns = new LimitedTurns()

/** For posts of no merchant. */
export const FOR_NO_MERCHANT: Receiving = { merchant: '', run: (callback) => turns.run(OPERATOR, callback) }
