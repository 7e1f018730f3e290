import { LimitedTurns } from '../engine/machine/limited-turns.ts'
import { OPERATOR } from '../engine/machine/turns.ts'

/** The merchant whose receiver a connection leads to, and the turns in which its data is processed. */
export type Receiving = {
  /** The merchant. After a restore, it is another object. */
  readonly turnOf: object
  /** Runs a callback in a turn of the merchant. A callback of a handshake can take 0.4 s. */
  readonly run: (callback: () => void) => void
}

/** The options of a connection. */
export type ReceivingOptions = { readonly receiving?: Receiving }

/** The number of bytes that are passed on in one turn. They take up to 5 ms, except in a handshake. */
export const PIECE_BYTES = 4_096

const turns = new LimitedTurns()

/** For posts of no merchant. */
export const FOR_NO_MERCHANT: Receiving = {
  turnOf: OPERATOR,
  run: (callback) => turns.run(OPERATOR, callback),
}

const numbers = new WeakMap<object, number>()
let newest = 0

/** Returns the name of the connections that a post may use: merchants share none. @param name - that for all merchants */
export function nameFor(name: string, { receiving = FOR_NO_MERCHANT }: ReceivingOptions = {}): string {
  let number = numbers.get(receiving.turnOf)
  if (number === undefined) {
    newest += 1
    number = newest
    numbers.set(receiving.turnOf, number)
  }
  return `${name}:${number}`
}
