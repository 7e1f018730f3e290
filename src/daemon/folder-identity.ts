import { statSync } from 'node:fs'
import { hostname } from 'node:os'

/** Which folder of which machine a `daemon.json` was written in. A moved folder stays the same; a copy is another one. */
export type FolderIdentity = { readonly host: string; readonly inode: string }

/** Returns the identity of a folder. @throws Error if it cannot be read */
export const identityOf = (folder: string): FolderIdentity => ({
  host: hostname(),
  inode: String(statSync(folder, { bigint: true }).ino),
})

/** Reports whether a folder is another one than a file in it says. Of another machine, such as a container, nothing is known. */
export function isCopy(folder: string, written: Partial<FolderIdentity> | undefined): boolean {
  const { host, inode } = identityOf(folder)
  return written?.host === host && written.inode !== inode
}
