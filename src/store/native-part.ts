import { mkdtempSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRawAsset, isSea } from 'node:sea'

/** The native part as better-sqlite3 takes it: where it is, or what it exports. */
export type NativePart = string | object

/** Why SQLite cannot be loaded, in a sentence for the person who started the daemon. */
export class NativePartUnusable extends Error {}

let exportsOfIt: object | undefined

/**
 * better-sqlite3's native part: where npm has put it, or out of the single executable, which carries it within.
 * @throws NativePartUnusable when there is no folder that it could be loaded from
 */
export function nativePart(): NativePart {
  // better-sqlite3 itself would look for it in a dozen places, and load a library for that.
  if (!isSea())
    return createRequire(import.meta.url).resolve('better-sqlite3/build/Release/better_sqlite3.node')
  exportsOfIt ??= loadOutOf(Buffer.from(getRawAsset('better_sqlite3.node') as ArrayBuffer))
  return exportsOfIt
}

/**
 * Loads a library that is in memory: systems load them from files only. The file has lost its name before anything is in it, and is
 * opened by nobody else: so nobody can put another in its place, and nothing is left behind however the process ends.
 * @throws NativePartUnusable
 */
export function loadOutOf(library: Uint8Array): object {
  const folder = tmpdir()
  try {
    const file = openNameless(folder)
    writeFileSync(file, library)
    const module = { exports: {} }
    // It stays open: the system would take the next library of that name for this one.
    process.dlopen(module, `/proc/self/fd/${file}`)
    return module.exports
  } catch (error) {
    throw new NativePartUnusable(
      `SQLite cannot be loaded by way of ${folder}: ${(error as Error).message}. Set TMPDIR to a folder that can be written, and is not mounted noexec.`,
    )
  }
}

/** A new file, open for its owner alone, that no folder names any more. @returns its descriptor */
function openNameless(parent: string): number {
  const folder = mkdtempSync(join(parent, 'paytwin-'))
  try {
    const path = join(folder, 'library')
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  } finally {
    rmdirSync(folder)
  }
}
