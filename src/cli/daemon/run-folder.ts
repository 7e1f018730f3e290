import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'paytwin-run-shared-'
/** The names that mkdtemp makes from the prefix. */
const NAME = /^paytwin-run-shared-[A-Za-z0-9]{6}$/
/** The file with the process that removes the folder when it ends. */
const OWNER = 'owner'
/** The owner's file takes a few dozen bytes. */
const MAX_OWNER_BYTES = 1_024

/** Creates a folder for the files that the processes of a run's command load, and removes those of killed runs. */
export function newRunFolder(parent: string): string {
  removeLeftovers(parent)
  const folder = mkdtempSync(join(parent, PREFIX))
  writeFileSync(join(folder, OWNER), JSON.stringify({ pid: process.pid, machine: machine() }), {
    mode: 0o600,
  })
  return folder
}

/** Removes the folders of runs whose process has ended without doing so: one that is killed cannot. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => NAME.test(each))) {
    const folder = join(parent, name)
    if (isLeftover(folder)) rmSync(folder, { recursive: true, force: true })
  }
}

/** Reports whether a folder is this user's, and of a process of this machine that has ended. */
function isLeftover(folder: string): boolean {
  const file = join(folder, OWNER)
  if (!isOwn(folder, (stats) => stats.isDirectory())) return false
  if (!isOwn(file, (stats) => stats.isFile() && stats.size <= MAX_OWNER_BYTES)) return false
  const [, pid, where] = /^\{"pid":(\d+),"machine":"([^"\\]*)"\}$/.exec(readFileSync(file, 'utf8')) ?? []
  return pid !== undefined && where === machine() && hasEnded(Number(pid))
}

/** Reports whether a path is this user's and has a type. Links are not followed. */
function isOwn(path: string, hasType: (stats: Stats) => boolean): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && hasType(stats) && (process.getuid?.() ?? stats.uid) === stats.uid
}

/** Names the machine or container in which process ids are unique. Containers can share the folder for temporary files. */
function machine(): string {
  if (process.platform !== 'linux') return hostname()
  return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
