import * as z from 'zod'
import { LAST_INSTANT } from '../core/calendar.ts'
import { DUE_DATE_REQUIRES_SENDING } from '../core/collection-method.ts'
import { MAX_METADATA_KEYS } from '../core/metadata.ts'
import { CURRENCIES, MAX_AMOUNT } from '../core/money.ts'
import { deferred } from './deferred.ts'

/** An id of another object. */
export const reference = z.string().min(1).max(255)

/** Free text. Source: paytwin: at most 5,000 characters. */
export const text = z.string().max(5_000)

/** Optional free text. One schema for all parameters, because each schema adds to the start time. */
export const omittableText = text.optional()

/** Optional text that can be unset: by null in JSON, by an empty value in a form. */
export const optionalText = text.nullable().optional()

/** The quantity of an item. Only the resulting amount has an upper limit. See docs/contract/subscriptions.md#items. */
export const quantity = z.int().min(0)

/** Days between an invoice and its due date; paytwin: at most ten years. */
export const daysUntilDue = z.int().min(0).max(3_650)

/** Returns whether days_until_due is absent or allowed, which it is only with send_invoice. */
export const isDueOnlyWhenSent = (given: {
  collection_method: string
  days_until_due?: number | undefined
}): boolean => given.collection_method === 'send_invoice' || given.days_until_due === undefined

export const dueDateNotAllowed = { path: ['days_until_due'], error: DUE_DATE_REQUIRES_SENDING }

/** Unix seconds. */
export const instant = z.int({ error: 'expected whole Unix seconds' }).min(0).max(LAST_INSTANT)

/** A currency code in any case, converted to lowercase. See docs/contract/requests.md#currency. */
export const currency = z
  .string()
  .toLowerCase()
  .refine((code) => CURRENCIES.has(code), { error: 'expected a three-letter ISO 4217 currency code' })

/** An amount. A parameter named `amount` has its own error codes: see params.ts. See docs/contract/requests.md#amounts. */
export const amount = z.int().min(1).max(MAX_AMOUNT)

/** An amount that is negative for a credit. */
export const signedAmount = deferred(() => z.int().min(-MAX_AMOUNT).max(MAX_AMOUNT))

const MAX_KEY_LENGTH = 40
const MAX_VALUE_LENGTH = 500

const metadataValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected strings, numbers or booleans as values',
})

/** A metadata value before its check. The JSON Schema shows the checked types. */
const uncheckedValue = z
  .unknown()
  .meta({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] })

/** Limits the number of keys before the values are checked, because a body can have many thousands. */
const fewPairs = z
  .record(z.string(), uncheckedValue)
  .refine((pairs) => Object.keys(pairs).length <= MAX_METADATA_KEYS, {
    error: `expected at most ${MAX_METADATA_KEYS} keys`,
  })

/** Checks keys and values, and converts the values to strings. See docs/contract/requests.md#metadata. */
const checkedPairs = z
  .record(z.string(), metadataValue)
  .refine((pairs) => Object.keys(pairs).every((key) => key.length <= MAX_KEY_LENGTH && !/[[\]]/.test(key)), {
    error: `expected keys of at most ${MAX_KEY_LENGTH} characters without square brackets`,
  })
  .refine((pairs) => Object.values(pairs).every((value) => String(value).length <= MAX_VALUE_LENGTH), {
    error: `expected values of at most ${MAX_VALUE_LENGTH} characters`,
  })
  .transform(withTexts)

/** Converts the values of metadata to strings. */
function withTexts(pairs: Readonly<Record<string, string | number | boolean>>): Record<string, string> {
  const texts = Object.fromEntries(Object.entries(pairs).map(([key, value]) => [key, String(value)]))
  // An index as a key, which comes first, would take much memory while a write waits: see VALUE_BYTES.
  return /^\d/.test(Object.keys(texts)[0] ?? '') ? JSON.parse(JSON.stringify(texts)) : texts
}

const metadataPairs = fewPairs.pipe(checkedPairs)

/**
 * Metadata as a parameter. An empty value removes its key. An empty string in place of the object removes all keys.
 * See docs/contract/requests.md#metadata.
 */
export const metadata = z
  .union([z.literal(''), metadataPairs], {
    error: 'expected an object of keys and values, or an empty string to remove all keys',
  })
  .optional()
