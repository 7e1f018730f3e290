import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let root: string | undefined

/** Creates a folder within the folder of this run, which is deleted when the run ends, even if it fails. */
export function newFolder(): string {
  root ??= mkdtempSync(join(tmpdir(), 'paytwin-bench-'))
  return mkdtempSync(join(root, 'folder-'))
}

export function copyOf(folder: string): string {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true })
  return copy
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true })
}

/** Deletes all folders of this run. */
export function removeFolders(): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
}

export const databaseIn = (folder: string): string => join(folder, 'paytwin.db')

/** Returns the size of a database on disk, in bytes. Call it after the daemon has ended, when the log is part of the database. */
export const databaseBytes = (folder: string): number =>
  [databaseIn(folder), `${databaseIn(folder)}-wal`]
    .filter(existsSync)
    .reduce((sum, file) => sum + statSync(file).size, 0)
