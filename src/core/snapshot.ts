/**
 * How snapshots may be called: what every file system takes for a name, and nobody for a path.
 * See docs/contract/snapshots.md#names.
 */
export const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The rule in words, for those who are refused. */
export const SNAPSHOT_NAME_RULE =
  'a letter or digit, then up to 63 more letters, digits, dots, underscores or hyphens'
