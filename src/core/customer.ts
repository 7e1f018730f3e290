import { parameterInvalid } from './errors.ts'

/** String values by key: at most 50, each value at most 500 characters. Source: decisions.md 1, "metadata". */
export type Metadata = Readonly<Record<string, string>>

/** Source: decisions.md 3. */
export type Customer = {
  readonly id: string
  readonly created: number
  readonly email: string | null
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly default_payment_method: string | null
  /** 8 characters that begin the number of each of its invoices. */
  readonly invoice_prefix: string
  /** The sequence number that its next finalized invoice gets. Not part of the API's object. */
  readonly next_invoice_number: number
  /** Whether one of its finalized invoices is outstanding: open and charged automatically, or overdue. */
  readonly delinquent: boolean
  /** The clock that everything of this customer follows; null for the merchant's main clock. */
  readonly test_clock: string | null
  readonly deleted: boolean
}

/** What a request says of metadata: values to set, '' to remove one, and '' in place of all to remove all. */
export type MetadataParam = Readonly<Record<string, string>> | ''

/** Source: decisions.md 1, "metadata". */
export const MAX_METADATA_KEYS = 50

/**
 * Merges an update into metadata: an empty value removes its key, an empty string in place of the object removes all.
 * @throws ApiError parameter_invalid, param metadata, when more than 50 keys would be left
 * Source: decisions.md 1, "metadata".
 */
export function mergeMetadata(current: Metadata, update: MetadataParam | undefined): Metadata {
  if (update === undefined) return current
  if (update === '') return {}
  const merged = Object.entries({ ...current, ...update }).filter(([, value]) => value !== '')
  if (merged.length > MAX_METADATA_KEYS) {
    throw parameterInvalid('metadata', `metadata holds at most ${MAX_METADATA_KEYS} keys`)
  }
  return Object.fromEntries(merged)
}
