import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { reasonNotOwn } from '../../store/own-files.ts'

const PREFIX = 'paytwin-run-shared-'
/** The names that mkdtemp makes from the prefix. */
const NAME = /^paytwin-run-shared-[A-Za-z0-9]{6}$/
/** The file with the process that removes the folder when it ends. */
const OWNER = 'owner'

/**
 * Creates a folder for the files that the processes of a run's command load, and removes those of killed runs.
 * Processes that outlive the run keep its path.
 * @param parent - a folder in which no other user can take the name of a removed folder, see userFolder
 * @throws Error only if the new folder or the file in it cannot be created
 */
export function newRunFolder(parent: string): string {
  ignoringFileErrors(() => removeLeftovers(parent))
  const folder = mkdtempSync(join(parent, PREFIX))
  const machine = [hostname(), ...(processNamespace() ?? [])].join(' ')
  try {
    writeFileSync(join(folder, OWNER), JSON.stringify({ pid: process.pid, machine }), { mode: 0o600 })
  } catch (error) {
    // No later run would remove a folder without a valid owner.
    removeRunFolder(folder)
    throw error
  }
  return folder
}

/** Removes the folder of a run. If that fails, a later run tries it again. */
export function removeRunFolder(folder: string): void {
  ignoringFileErrors(() => {
    // The owner is removed last: without it a folder of which only a part was removed would stay.
    for (const name of readdirSync(folder).filter((each) => each !== OWNER))
      rmSync(join(folder, name), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  })
}

/** Removes the folders of runs whose process has ended without doing so: one that is killed cannot. */
function removeLeftovers(parent: string): void {
  const namespace = processNamespace()
  if (namespace === undefined) return
  const machine = [hostname(), ...namespace].join(' ')
  for (const name of readdirSync(parent).filter((each) => NAME.test(each))) {
    const folder = join(parent, name)
    ignoringFileErrors(() => {
      if (isLeftover(folder, machine)) removeRunFolder(folder)
    })
  }
}

/**
 * Does work that a run can do without. Another run may remove the same folder at the same time, a folder may be on a file
 * system that became read-only, and the parent may be one that cannot be listed.
 */
function ignoringFileErrors(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}

/** Reports whether a folder is of a process of this machine that has ended. Links are not followed. */
function isLeftover(folder: string, machine: string): boolean {
  const file = join(folder, OWNER)
  if (reasonNotOwn(folder, 'folder') !== undefined || reasonNotOwn(file, 'file') !== undefined) return false
  const [, pid, where] = /^\{"pid":(\d+),"machine":"([^"\\]*)"\}$/.exec(readFileSync(file, 'utf8')) ?? []
  return pid !== undefined && where === machine && hasEnded(Number(pid))
}

/**
 * Returns what names the processes' namespace on this host, in which process ids are unique: containers can share the folder for
 * temporary files. undefined on Linux without /proc, where it is unknown.
 */
function processNamespace(): readonly string[] | undefined {
  if (process.platform !== 'linux') return []
  try {
    return [readlinkSync('/proc/self/ns/pid')]
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return undefined
    throw error
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
