/**
 * The maximum number of objects in one load. They are created in one transaction, which blocks every other request.
 * See docs/contract/fixtures.md#limits.
 */
export const MAX_FIXTURE_OBJECTS = 10_000

/** paytwin: the maximum number of files in one load. Each is checked by itself, however small it is. */
export const MAX_FIXTURE_FILES = 1_000

/** The maximum total size of the files in bytes: some 400 for each object. */
export const MAX_FIXTURE_BYTES = 4 * 1_048_576

/** paytwin: the maximum number of parameters of one load: some 20 for each object. Parsing as many takes up to half a second. */
export const MAX_FIXTURE_PARAMETERS = 200_000

/** Returns the error message for files of this total size; undefined when they can be loaded. */
export const sizeError = (bytes: number): string | undefined =>
  bytes > MAX_FIXTURE_BYTES
    ? `The fixtures files have ${bytes.toLocaleString('en-US')} bytes; at most ${MAX_FIXTURE_BYTES.toLocaleString('en-US')} can be loaded at once. Load them in parts.`
    : undefined
