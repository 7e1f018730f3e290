import { formatInstant } from '../core/calendar.ts'
import { formatAmount } from '../core/money.ts'

/** The subjects of sentences: the status and its cause, a further fact, or a future job. */
const PARTS = ['status', 'detail', 'next'] as const
export type Part = (typeof PARTS)[number]

/** A sentence of an explanation. */
export type Sentence = {
  readonly part: Part
  /** A complete sentence. Instants are in ISO 8601, UTC. */
  readonly text: string
  /** When it happened or will happen, in Unix seconds; null for none. */
  readonly at: number | null
  /** The heading of the contract with the rule: `invoices.md#retry-schedule`. */
  readonly rule: string
  /** The id of another object that the sentence mentions; null for none. */
  readonly object: string | null
}

/** The optional parts of a sentence. */
export type About = { readonly at?: number | null; readonly object?: string | null }

const sentence =
  (part: Part) =>
  (text: string, rule: string, { at = null, object = null }: About = {}): Sentence => ({
    part,
    text,
    at,
    rule,
    object,
  })

export const statusSentence = sentence('status')
export const detail = sentence('detail')
export const next = sentence('next')

/** A clause that gives a cause, and the rule behind it. */
export type Cause = { readonly text: string; readonly rule: string; readonly object?: string }

/** The statuses that are nouns, with their article. The others are used as adjectives. */
const NOUNS: Readonly<Record<string, string>> = { draft: 'a draft' }

/** Writes the sentence about a status: `The invoice has been open since …: attempt 1 of 5 failed.` */
export function statusSince(
  noun: string,
  status: string,
  { since, cause }: { readonly since: number | null; readonly cause: Cause },
): Sentence {
  const named = NOUNS[status] ?? status
  const begin =
    since === null ? `The ${noun} is ${named}` : `The ${noun} has been ${named} since ${instant(since)}`
  return statusSentence(`${begin}: ${cause.text}.`, cause.rule, { at: since, object: cause.object ?? null })
}

export const instant = formatInstant

/** Formats an amount of an object: `20.00 USD`. */
export const money = (amount: number, { currency }: { readonly currency: string }): string =>
  formatAmount(amount, currency)

/** Joins words as a list: `1, 3 and 5`. */
export const listed = (words: readonly (string | number)[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
