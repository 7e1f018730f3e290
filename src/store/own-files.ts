import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

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

/**
 * Writable for the group or for others. The number of a group says nothing about its members, and the bits of the group may be the
 * mask of an access control list.
 */
const WRITABLE_BY_GROUP_OR_OTHERS = 0o022
/** In a folder with this mode bit, only the owner of a file can rename or remove it. */
const STICKY = 0o1000

/**
 * Explains why another user could replace this user's files in a folder, or the folder itself.
 * @param folder - a path without symbolic links, see realpath
 * @returns undefined when only this user and root can, or on systems without owners
 */
export function reasonReplaceable(folder: string): string | undefined {
  if (process.geteuid === undefined) return undefined
  const stats = statSync(folder)
  const foreign = reasonUntrusted(stats, undefined)
  if (foreign !== undefined) return `${folder}: ${foreign}`
  const isShared = (stats.mode & WRITABLE_BY_GROUP_OR_OTHERS) !== 0 && (stats.mode & STICKY) === 0
  if (isShared) return `its group or other users can write ${folder}, which has no sticky bit`
  const parent = dirname(folder)
  return parent === folder ? undefined : reasonReplaceable(parent)
}
