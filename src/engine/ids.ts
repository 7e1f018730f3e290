import { createHash, randomBytes, randomFillSync } from 'node:crypto'
import type { Directory } from '../store/directory.ts'
import { MacKey } from './mac.ts'

/** In ASCII order, so that ids sort as their numbers do. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const NUMBER_LENGTH = 6
const MIX_LENGTH = 4

/** A seed that nobody can guess, for a database that was given none. */
export const randomSeed = (): string => randomBytes(32).toString('hex')

/** Random bytes for tokens: each is used once, and to ask for many at a time costs little more than for one. */
const pool = Buffer.alloc(4_096)
let used = pool.length

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool[used] ?? 0
  // What a token was made of is nobody's any more.
  pool[used] = 0
  used += 1
  return byte
}

/** `length` random characters of [A-Za-z0-9], each equally likely. */
export function randomToken(length: number): string {
  let token = ''
  while (token.length < length) {
    const byte = randomByte()
    // 248 is the largest multiple of 62 in a byte: what lies above would favour the first characters.
    if (byte < 248) token += ALPHABET.charAt(byte % 62)
  }
  return token
}

/** An id of a request: random, since it is no part of a history. */
export const requestId = (): string => `req_${randomToken(16)}`

type Sequence = { value: number; isDirty: boolean; readonly lanes: readonly [number, number] }

/**
 * Makes ids: a function of the seed, the merchant's ordinal, the prefix and a counter that lives in the database and
 * rolls back with its transaction. The counter comes first, so that indexes grow at their end.
 * See docs/contract/requests.md#identifiers.
 */
export class Ids {
  readonly #directory: Directory
  readonly #seed: string
  readonly #key: MacKey
  readonly #sequences = new Map<number, Map<string, Sequence>>()
  /** What counters were when they were first used since the mark. */
  readonly #replaced = new Map<Sequence, Pick<Sequence, 'value' | 'isDirty'>>()

  constructor(directory: Directory, seed: string) {
    this.#directory = directory
    this.#seed = seed
    this.#key = new MacKey(seed)
  }

  /** The next id of a prefix: `sub_` and 14 characters. */
  next(merchant: number, prefix: string): string {
    const sequence = this.#sequence(merchant, prefix)
    return format(prefix, this.#count(sequence), sequence)
  }

  /** The next running number of a prefix, from 1. */
  nextNumber(merchant: number, prefix: string): number {
    return this.#count(this.#sequence(merchant, prefix))
  }

  /** The id that belongs to a running number. */
  of(merchant: number, prefix: string, number: number): string {
    return format(prefix, number, this.#sequence(merchant, prefix))
  }

  /** The running number behind an id that `of` made for this merchant and prefix; undefined for any other text. */
  numberOf(merchant: number, prefix: string, id: string): number | undefined {
    let number = 0
    for (const character of id.slice(prefix.length + 1, prefix.length + 1 + NUMBER_LENGTH)) {
      number = number * 62 + ALPHABET.indexOf(character)
    }
    return number > 0 && this.of(merchant, prefix, number) === id ? number : undefined
  }

  /** From here on `rollback` takes back what was counted. */
  mark(): void {
    this.#replaced.clear()
  }

  /** Takes back all counting since the mark. */
  rollback(): void {
    for (const [sequence, before] of this.#replaced) Object.assign(sequence, before)
    this.mark()
  }

  /** Writes the counters that moved. */
  flush(): void {
    for (const [merchant, sequences] of this.#sequences) {
      for (const [prefix, sequence] of sequences) {
        if (!sequence.isDirty) continue
        this.#directory.setCounter(merchant, prefix, sequence.value)
        sequence.isDirty = false
      }
    }
  }

  /** Forgets what it knows, after a transaction was rolled back. */
  reset(): void {
    this.#sequences.clear()
    this.mark()
  }

  /**
   * `length` characters that follow from the seed and a name: for what has to be the same in every run and yet not be
   * guessed from outside (client secrets, card fingerprints, invoice prefixes).
   */
  derived(name: string, length: number, alphabet = ALPHABET): string {
    const bytes = this.#key.sign(name)
    let text = ''
    for (let place = 0; place < length; place += 1)
      text += alphabet.charAt(bytes.charCodeAt(place % bytes.length) % alphabet.length)
    return text
  }

  #count(sequence: Sequence): number {
    const { value, isDirty } = sequence
    if (!this.#replaced.has(sequence)) this.#replaced.set(sequence, { value, isDirty })
    sequence.isDirty = true
    sequence.value += 1
    return sequence.value
  }

  #sequence(merchant: number, prefix: string): Sequence {
    let sequences = this.#sequences.get(merchant)
    if (!sequences) {
      sequences = new Map()
      this.#sequences.set(merchant, sequences)
    }
    let sequence = sequences.get(prefix)
    if (!sequence) {
      const lanes = createHash('sha256').update(`${this.#seed}/${merchant}/${prefix}`).digest()
      sequence = {
        value: this.#directory.counter(merchant, prefix),
        isDirty: false,
        lanes: [lanes.readUInt32LE(0), lanes.readUInt32LE(4)],
      }
      sequences.set(prefix, sequence)
    }
    return sequence
  }
}

function format(prefix: string, number: number, { lanes: [left, right] }: Sequence): string {
  return `${prefix}_${base62(number, NUMBER_LENGTH)}${base62(mix(left ^ number), MIX_LENGTH)}${base62(mix(right + number), MIX_LENGTH)}`
}

function base62(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let place = 0; place < length; place += 1) {
    text = ALPHABET.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Spreads neighbouring numbers over 32 bits (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let hash = value | 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
