import { parameterInvalid } from './errors.ts'

/** String values by key: at most 50, each value at most 500 characters. See docs/contract/requests.md#metadata. */
export type Metadata = Readonly<Record<string, string>>

/** An object without its metadata, which can be long. */
export type WithoutMetadata<T> = Omit<T, 'metadata'>

/** The metadata of a request: values to set, '' to remove one, and '' in place of the object to remove all. */
export type MetadataParam = Readonly<Record<string, string>> | ''

export const MAX_METADATA_KEYS = 50

/**
 * Merges an update into metadata: an empty value removes its key, an empty string in place of the object removes all.
 * @throws ApiError parameter_invalid, param metadata, when more than 50 keys would be left
 * See docs/contract/requests.md#metadata.
 */
export function mergeMetadata(current: Metadata, update: MetadataParam | undefined): Metadata {
  if (update === undefined) return current
  if (update === '') return {}
  const merged = Object.entries({ ...current, ...update }).filter(([, value]) => value !== '')
  if (merged.length > MAX_METADATA_KEYS) {
    throw parameterInvalid('metadata', `metadata can have at most ${MAX_METADATA_KEYS} keys`)
  }
  return Object.fromEntries(merged)
}
