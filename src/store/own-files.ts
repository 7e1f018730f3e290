import { lstatSync, type Stats } from 'node:fs'

/** The kinds of files that paytwin creates. */
export type FileKind = 'file' | 'folder'

/**
 * Explains why paytwin must not use the file at a path: another user may have planted a link or a pipe there. Links are
 * not followed.
 * @returns undefined when it can be used, or does not exist
 */
export function reasonNotOwn(path: string, kind: FileKind): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (stats.isSymbolicLink()) return 'it is a symbolic link'
  if (!(kind === 'file' ? stats.isFile() : stats.isDirectory())) return `it is not a ${kind}`
  return reasonForeign(stats)
}

/** Explains that a file belongs to another user; undefined when it does not, or on systems without owners. */
export function reasonForeign({ uid }: Pick<Stats, 'uid'>): string | undefined {
  const user = process.geteuid?.()
  return user === undefined || uid === user
    ? undefined
    : `it belongs to another user (${uid}; this is ${user})`
}

/**
 * Explains why code must not be loaded from a file or folder: its owner is neither this user, nor root, nor the owner of paytwin's
 * own code, who can all run code as this user anyway.
 * @param codeOwner - the user ID of the owner of paytwin's own code, if known
 */
export function reasonUntrusted(
  stats: Pick<Stats, 'uid'>,
  codeOwner: number | undefined,
): string | undefined {
  return stats.uid === 0 || stats.uid === codeOwner ? undefined : reasonForeign(stats)
}
