import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonNotOwn, reasonReplaceable } from '../../store/own-files.ts'

const OPEN_TO_OTHERS = 0o077

/**
 * Returns the folder for temporary files. Its path is absolute and without links: it is never read as an option, is the same in
 * another working directory, and cannot be redirected.
 * @throws Error also if another user could replace a folder in it
 */
export function temporaryFolder(): string {
  const folder = realpathSync(tmpdir())
  refuse(reasonReplaceable(folder))
  return folder
}

/**
 * Returns this user's own folder in the folder for temporary files, and creates it if it is missing. It is never removed: where all
 * users can create files, another user could then take the names in it, which processes keep longer than their files exist.
 * @throws Error also if it belongs to another user, is a link or is open to others
 */
export function userFolder(): string {
  const parent = temporaryFolder()
  const user = process.geteuid?.()
  // Without user IDs, as on Windows, the folder for temporary files is the user's own.
  if (user === undefined) return parent
  const folder = join(parent, `paytwin-${user}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const reason = reasonNotOwn(folder, 'folder') ?? reasonOpen(folder)
  if (reason !== undefined) refuse(`${folder} cannot be used: ${reason}`)
  return folder
}

const reasonOpen = (folder: string): string | undefined =>
  (lstatSync(folder).mode & OPEN_TO_OTHERS) === 0 ? undefined : 'it is open to its group or other users'

/** @throws Error if there is a reason against a folder */
function refuse(reason: string | undefined): void {
  if (reason !== undefined) throw new Error(`${reason}. Set TMPDIR to a folder that only you can write`)
}
