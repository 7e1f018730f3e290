import { thousands } from './text.ts'

/**
 * How many objects can be loaded at once. All of them are made in one transaction, while nothing else is answered.
 * See docs/contract/fixtures.md#limits.
 */
export const MAX_FIXTURE_OBJECTS = 10_000

/** How large the files may be together, in bytes: some 400 for each object. */
export const MAX_FIXTURE_BYTES = 4 * 1_048_576

/** Why files of this size together cannot be loaded, in a sentence; undefined for those that can. */
export const whyTooLarge = (bytes: number): string | undefined =>
  bytes > MAX_FIXTURE_BYTES
    ? `The fixtures files have ${thousands(bytes)} bytes; at most ${thousands(MAX_FIXTURE_BYTES)} can be loaded at once. Load them in parts.`
    : undefined
