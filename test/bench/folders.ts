import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let root: string | undefined

/** A new folder within the one of this run, which goes when the run ends, whatever its end. */
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

/** Takes away all folders of this run. */
export function removeFolders(): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true })
}

export const databaseIn = (folder: string): string => join(folder, 'paytwin.db')

/** What a database takes on disk, in bytes. Only after its daemon has ended the log is part of it, and growth tells the truth. */
export const databaseBytes = (folder: string): number =>
  [databaseIn(folder), `${databaseIn(folder)}-wal`]
    .filter(existsSync)
    .reduce((sum, file) => sum + statSync(file).size, 0)
