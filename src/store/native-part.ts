import { lstatSync, mkdtempSync, openSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { getRawAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { reasonUntrusted } from './own-files.ts'

/** The native addon in a form that better-sqlite3 accepts: its path, or its exports. */
export type NativePart = string | object

/** An error that explains to the operator why SQLite cannot be loaded, in one line or several. */
export class NativePartUnusable extends Error {
  override readonly name = 'NativePartUnusable'
}

const PACKAGE = 'better-sqlite3'
/** The addon, and the folders that contain it, within the package. */
const ADDON = ['build', 'build/Release', 'build/Release/better_sqlite3.node']

/** The commands that install the native addon, for the package managers and systems that leave it out. */
const REMEDIES = [
  'With npm, also after --ignore-scripts: npm rebuild better-sqlite3',
  'With pnpm, which blocks build scripts: pnpm approve-builds',
  'Where no prebuilt binary can be downloaded, first install a compiler: apt-get install python3 make g++ (macOS: xcode-select --install)',
]

/** Explains an error of loading the installed addon. Other errors are returned unchanged. */
export function explained(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ERR_DLOPEN_FAILED') return error
  return unusable(message.replace(/\s+/g, ' ').replace(/\.$/, ''))
}

const unusable = (why: string, remedies: readonly string[] = REMEDIES): NativePartUnusable =>
  new NativePartUnusable([`SQLite cannot be loaded: ${why}.`, ...remedies].join('\n'))

let addonExports: object | undefined

/**
 * Returns better-sqlite3's native addon: the installed file, or the copy inside the single executable.
 * @throws NativePartUnusable when it is not installed, or when no folder allows loading it
 */
export function nativePart(): NativePart {
  // better-sqlite3 itself would search a dozen places, and load a library for that.
  if (!isSea()) return installedPart()
  addonExports ??= loadFromMemory(Buffer.from(getRawAsset('better_sqlite3.node') as ArrayBuffer))
  return addonExports
}

/**
 * Finds the addon in the package that Node finds, and nowhere else: if Node searched for the file itself, it would go on to the
 * `node_modules` of all parent folders, where other users may write.
 * @param from - the URL of the file for which the package is installed
 * @throws NativePartUnusable when it is not there, or others could have changed it
 */
export function installedPart(from: string = import.meta.url): string {
  const folder = packageFolder(from)
  const owner = statSync(fileURLToPath(from), { throwIfNoEntry: false })?.uid
  const paths = [folder, ...ADDON.map((part) => join(folder, part))]
  for (const path of paths) {
    if (!statSync(path, { throwIfNoEntry: false })) {
      throw unusable(
        `the file ${paths.at(-1)} is missing, because its package was installed without its build script`,
      )
    }
    for (const stats of [lstatSync(path), statSync(path)]) {
      const reason = reasonUntrusted(stats, owner)
      if (reason) throw unusable(`${path}: ${reason}`, [`Remove it, and install ${PACKAGE} again.`])
    }
  }
  return paths.at(-1) ?? folder
}

function packageFolder(from: string): string {
  try {
    return dirname(createRequire(from).resolve(`${PACKAGE}/package.json`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw unusable(`the package ${PACKAGE} is not installed`, [`Install it: npm install ${PACKAGE}`])
  }
}

/**
 * Loads a library from memory. Systems load libraries from files only, so it is written to a file that has already been
 * unlinked: no other process can replace it, and nothing is left behind however the process ends.
 * @throws NativePartUnusable
 */
export function loadFromMemory(library: Uint8Array): object {
  const folder = tmpdir()
  try {
    const file = openNameless(folder)
    writeFileSync(file, library)
    const module = { exports: {} }
    // The file stays open: the system would mistake the next library with this descriptor for the same one.
    process.dlopen(module, `/proc/self/fd/${file}`)
    return module.exports
  } catch (error) {
    throw new NativePartUnusable(
      `SQLite cannot be loaded from ${folder}: ${(error as Error).message}. Set TMPDIR to a folder that is writable and not mounted noexec.`,
    )
  }
}

/** Creates an unlinked file that only this process has open. @returns its descriptor */
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
