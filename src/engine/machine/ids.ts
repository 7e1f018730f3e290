import { createHash, randomBytes, randomFillSync } from 'node:crypto'
import type { Directory } from '../../store/directory.ts'
import { MacKey } from './mac.ts'

/** In ASCII order, so that ids sort like their numbers. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const NUMBER_LENGTH = 6
const MIX_LENGTH = 4

/** Creates an unpredictable seed, for a database without a given one. */
export const randomSeed = (): string => randomBytes(32).toString('hex')

/** Random bytes for tokens. Each is used once; reading many at a time costs little more than one. */
const pool = Buffer.alloc(4_096)
let used = pool.length

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool[used] ?? 0
  // Bytes of issued tokens must not stay in memory.
  pool[used] = 0
  used += 1
  return byte
}

/** Returns `length` random characters of [A-Za-z0-9], each equally likely. */
export function randomToken(length: number): string {
  let token = ''
  while (token.length < length) {
    const byte = randomByte()
    // 248 is the largest multiple of 62 in a byte; larger values would favour the first characters.
    if (byte < 248) token += ALPHABET.charAt(byte % 62)
  }
  return token
}

/** Returns the id of a request. It is random, because it is not part of a history. */
export const requestId = (): string => `req_${randomToken(16)}`

type Sequence = {
  readonly merchant: number
  readonly prefix: string
  readonly lanes: readonly [number, number]
  value: number
}

/**
 * Creates ids. An id is a function of the seed, the merchant's ordinal, the prefix and a counter, which is stored in
 * the database and rolled back with its transaction. The counter comes first, so that indexes grow at their end.
 * See docs/contract/requests.md#identifiers.
 */
export class Ids {
  readonly #directory: Directory
  readonly #seed: string
  readonly #key: MacKey
  readonly #sequences = new Map<number, Map<string, Sequence>>()
  /** The counters to write. */
  readonly #changed = new Set<Sequence>()
  /** The state of counters at their first use since the mark. */
  readonly #replaced = new Map<Sequence, { readonly value: number; readonly isChanged: boolean }>()

  constructor(directory: Directory, seed: string) {
    this.#directory = directory
    this.#seed = seed
    this.#key = new MacKey(seed)
  }

  /** Returns the next id of a prefix: `sub_` and 14 characters. */
  next(merchant: number, prefix: string): string {
    const sequence = this.#sequence(merchant, prefix)
    return format(prefix, this.#count(sequence), sequence)
  }

  /** Returns the next running number of a prefix, from 1. */
  nextNumber(merchant: number, prefix: string): number {
    return this.#count(this.#sequence(merchant, prefix))
  }

  /** Returns the running number of the newest id of a prefix; 0 without any. */
  newest(merchant: number, prefix: string): number {
    return this.#sequence(merchant, prefix).value
  }

  /** Returns the id of a running number. */
  of(merchant: number, prefix: string, number: number): string {
    return format(prefix, number, this.#sequence(merchant, prefix))
  }

  /**
   * Returns the running number of an id that `of` created for this merchant and prefix; undefined for any other text.
   */
  numberOf(merchant: number, prefix: string, id: string): number | undefined {
    let number = 0
    for (const character of id.slice(prefix.length + 1, prefix.length + 1 + NUMBER_LENGTH)) {
      number = number * 62 + ALPHABET.indexOf(character)
    }
    return number > 0 && this.of(merchant, prefix, number) === id ? number : undefined
  }

  /** Sets the mark to which `rollback` returns. */
  mark(): void {
    this.#replaced.clear()
  }

  /** Resets all counters to the mark. */
  rollback(): void {
    for (const [sequence, { value, isChanged }] of this.#replaced) {
      sequence.value = value
      if (!isChanged) this.#changed.delete(sequence)
    }
    this.mark()
  }

  /**
   * Sets a mark within the current one.
   * @returns a function that resets all counters to the inner mark, and returns to the outer one
   */
  nest(): () => void {
    const outer = [...this.#replaced]
    this.mark()
    return () => {
      this.rollback()
      for (const [sequence, before] of outer) this.#replaced.set(sequence, before)
    }
  }

  /** Writes the changed counters. */
  flush(): void {
    for (const { merchant, prefix, value } of this.#changed)
      this.#directory.setCounter(merchant, prefix, value)
    this.#changed.clear()
  }

  /** Clears the cache after a transaction was rolled back. */
  reset(): void {
    this.#sequences.clear()
    this.#changed.clear()
    this.mark()
  }

  /**
   * Derives `length` characters from the seed and a name: for values that are the same in every run but cannot be
   * guessed (client secrets, card fingerprints, invoice prefixes).
   */
  derived(name: string, length: number, alphabet = ALPHABET): string {
    const bytes = this.#key.sign(name)
    let text = ''
    for (let place = 0; place < length; place += 1)
      text += alphabet.charAt(bytes.charCodeAt(place % bytes.length) % alphabet.length)
    return text
  }

  #count(sequence: Sequence): number {
    const { value } = sequence
    if (!this.#replaced.has(sequence))
      this.#replaced.set(sequence, { value, isChanged: this.#changed.has(sequence) })
    this.#changed.add(sequence)
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
        merchant,
        prefix,
        lanes: [lanes.readUInt32LE(0), lanes.readUInt32LE(4)],
        value: this.#directory.counter(merchant, prefix),
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
