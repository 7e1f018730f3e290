import { lstatSync, type Stats } from 'node:fs'

/** What paytwin makes. */
export type FileKind = 'file' | 'folder'

/**
 * Explains why paytwin must not use what is at a path: a link, a pipe, or something of another user may have been planted there.
 * Links are not followed.
 * @returns undefined when it can be used, or nothing is there
 */
export function whyNotOwn(path: string, kind: FileKind): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (stats.isSymbolicLink()) return 'it is a symbolic link'
  if (!(kind === 'file' ? stats.isFile() : stats.isDirectory())) return `it is not a ${kind}`
  return whyOthers(stats)
}

/** Explains that a file belongs to another user; undefined when it does not, or where files have no owners. */
export function whyOthers({ uid }: Stats): string | undefined {
  const user = process.geteuid?.()
  return user === undefined || uid === user
    ? undefined
    : `it belongs to another user (${uid}; this is ${user})`
}
