import { accessSync, chmodSync, constants, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { INSPECTION_FOLDER } from '../store/inspect.ts'
import { reasonForeign, reasonNotOwn } from '../store/own-files.ts'
import { unusableError } from '../store/unusable.ts'
import { StartRefused } from './start-refused.ts'

/** The name of the default data folder, which no other program uses. */
const OWN_NAME = '.paytwin'
const DATABASE = 'paytwin.db'
const SNAPSHOTS = 'snapshots'
/** The files that paytwin writes into a data folder. A first start that was killed leaves some of them. */
const OWN_FILES =
  /^(paytwin\.db(-wal|-shm|-journal|\.schema-.+)?|admin-token|daemon\.(json|log)(\..+)?|sessions\.json(\.new)?|snapshots|\.gitignore)$/
/** Files that keep an empty folder in version control, or that belong to a mounted volume. */
const PLACEHOLDERS = new Set(['.gitkeep', '.keep', '.DS_Store', 'lost+found'])

/**
 * Creates a data folder, or restricts an existing one to this user. A folder with other files is refused, and not changed.
 * @throws StartRefused
 */
export function claimFolder(path: string): void {
  writable(path, () => makeFolder(resolve(path)))
  refuseForeign(path)
  refusePlanted(path)
  writable(path, () => {
    chmodSync(path, 0o700)
    accessSync(path, constants.W_OK | constants.X_OK)
  })
  // Checked again: before the chmod, other users could have added files to a writable folder.
  refusePlanted(path)
}

/** Creates a folder and its parents. Node's recursive mkdir never returns in a folder such as /proc. */
function makeFolder(path: string): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it at the same time.
    if (!isFolder(path)) throw error
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

function refuseForeign(path: string): void {
  const stats = writable(path, () => statSync(path))
  // A path with a slash at its end is that of the target.
  const link = writable(path, () => lstatSync(resolve(path)))
  // Checks the link itself, not its target: the owner of a link can change the target.
  const trouble = reasonForeign(stats) ?? (link.isSymbolicLink() ? reasonForeign(link) : undefined)
  if (trouble !== undefined) {
    throw new StartRefused(
      1,
      `The data folder ${path} cannot be used: ${trouble}. Change its owner, or give another --data folder.`,
    )
  }
  const foreign = writable(path, () => readdirSync(path)).find(isForeign)
  if (foreign === undefined || basename(resolve(path)) === OWN_NAME || hasDatabaseOf(path, stats.uid)) return
  throw new StartRefused(
    1,
    `The data folder ${path} contains other files, such as '${foreign}', and no paytwin database. Give a --data folder that is empty or does not exist.`,
  )
}

/** Refuses files with paytwin's names that another user may have created, before any of them is opened. */
function refusePlanted(path: string): void {
  for (const name of writable(path, () => readdirSync(path)).filter((each) => OWN_FILES.test(each))) {
    const file = join(path, name)
    const trouble = writable(path, () => whyPlanted(file, name))
    if (trouble !== undefined) throw new StartRefused(1, unusableError(file, trouble).message)
  }
}

/** Checks a file. The database may be a symbolic link of this user; its target is checked when it is opened. */
function whyPlanted(file: string, name: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (name === DATABASE && stats?.isSymbolicLink()) return reasonForeign(stats)
  return reasonNotOwn(file, name === SNAPSHOTS ? 'folder' : 'file')
}

const isForeign = (name: string): boolean =>
  !OWN_FILES.test(name) && !INSPECTION_FOLDER.test(name) && !PLACEHOLDERS.has(name)

/** Whether the folder has a database of its owner. In folders such as /tmp, anyone could create one. */
const hasDatabaseOf = (path: string, owner: number): boolean =>
  lstatSync(join(path, DATABASE), { throwIfNoEntry: false })?.uid === owner

/** Runs work on the folder. @throws StartRefused if it fails */
export function writable<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new StartRefused(1, `The data folder ${path} cannot be written: ${(error as Error).message}`)
  }
}
