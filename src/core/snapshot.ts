/**
 * The pattern of a snapshot's name: valid as a file name on every system, and never a path.
 * See docs/contract/snapshots.md#names.
 */
export const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The pattern in words, for error messages. */
export const SNAPSHOT_NAME_RULE =
  'a letter or digit, then up to 63 more letters, digits, dots, underscores or hyphens'
