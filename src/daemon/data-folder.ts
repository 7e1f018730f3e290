import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { SessionStore } from '../http/dashboard/sessions.ts'
import { reasonNotOwn } from '../store/own-files.ts'
import { readGivenFile } from '../text/given-file.ts'
import { claimFolder, writable } from './claim-folder.ts'
import { identityOf } from './folder-identity.ts'
import { StartRefused } from './start-refused.ts'

/** How often, and how many times, a daemon looks for the token in a file that is still empty. */
const TOKEN_INTERVAL_MS = 20
const TOKEN_POLLS = 25

/** A larger file of sessions is damaged: it is ignored, and all browsers are signed out. */
const MAX_SESSIONS_BYTES = 1_048_576

/** The daemon that `daemon.json` names. The file also has the identity of its folder. */
export type DaemonFile = { readonly url: string; readonly pid: number }

/**
 * The data folder of a daemon. Only its owner can read it, and version control ignores it.
 * See docs/contract/operator.md#data-folder.
 */
export class DataFolder {
  readonly path: string

  /** @throws StartRefused if the folder cannot be created or written, or contains other files */
  constructor(path: string) {
    this.path = path
    claimFolder(path)
    writable(path, () => {
      this.#writeOnce('.gitignore', '*\n')
      this.#fillEmpty('.gitignore', '*\n')
    })
  }

  get database(): string {
    return this.#file('paytwin.db')
  }

  /** Whether the database is empty although it was used before. A killed first start leaves no log beside an empty database. */
  get hasLostItsContent(): boolean {
    return existsSync(this.log) && statSync(this.database, { throwIfNoEntry: false })?.size === 0
  }

  get adminTokenFile(): string {
    return this.#file('admin-token')
  }

  get log(): string {
    return this.#file('daemon.log')
  }

  /**
   * Reads the folder's admin token, and creates it if there is none. Of two daemons that start at once, only one creates it.
   * @throws StartRefused if it cannot be read
   */
  async adminToken(make: () => string): Promise<string> {
    const made = `${make()}\n`
    this.#writeOnce('admin-token', made)
    try {
      // Reading a pipe would block forever.
      if (!statSync(this.adminTokenFile).isFile()) throw new Error('it is not a file')
      const read = () => readFileSync(this.adminTokenFile, 'utf8').trim()
      // Another daemon that has just created the file writes the token next.
      for (let poll = 0; poll < TOKEN_POLLS && read() === ''; poll += 1) await delay(TOKEN_INTERVAL_MS)
      if (read() === '' && isOpenToOthers(this.adminTokenFile))
        throw new Error('it is empty, and other users may have opened it')
      this.#fillEmpty('admin-token', made)
      return read()
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      // Other errors may pass, or not be for this user: no reason to give up the token.
      const isNoToken = ['', 'EISDIR', 'ELOOP', 'ENOTDIR'].includes(code)
      const advice = isNoToken ? ' Delete the file, and the next start creates a new token.' : ''
      throw new StartRefused(
        1,
        `The admin token in ${this.adminTokenFile} cannot be read: ${message}.${advice}`,
      )
    }
  }

  /** Writes the daemon's URL and process ID for the command line, atomically. */
  announce(daemon: DaemonFile): void {
    this.#replace('daemon.json', `${JSON.stringify({ ...daemon, folder: identityOf(this.path) })}\n`)
  }

  /** The file with the sessions of the dashboard. */
  get dashboardSessions(): SessionStore {
    const file = this.#file('sessions.json')
    return {
      read: () =>
        existsSync(file)
          ? readGivenFile(file, { maxBytes: MAX_SESSIONS_BYTES }).content.toString('utf8')
          : undefined,
      write: (text) => this.#replace('sessions.json', `${text}\n`),
      clear: () => rmSync(file, { force: true }),
    }
  }

  /** Returns the announced daemon, or undefined if its process no longer exists. */
  announced(): DaemonFile | undefined {
    const file = this.#file('daemon.json')
    // Reading a pipe would block forever.
    if (!existsSync(file) || reasonNotOwn(file, 'file') !== undefined) return undefined
    try {
      const daemon = JSON.parse(readFileSync(file, 'utf8')) as DaemonFile
      return isRunning(daemon.pid) ? daemon : undefined
    } catch {
      // Another daemon has just removed the file, or its content is invalid.
      return undefined
    }
  }

  /** Removes the daemon.json of a killed daemon. Only the process that holds the database may do this. */
  removeAnnouncement(): void {
    rmSync(this.#file('daemon.json'), { force: true })
  }

  /**
   * Removes daemon.json if it announces a daemon. If the folder was replaced, it may announce another one.
   * @param failed - called if the folder cannot be written any more; then the next start removes it
   */
  retract({ url, pid }: DaemonFile, failed: (error: unknown) => void): void {
    const announced = this.announced()
    if (announced?.url !== url || announced.pid !== pid) return
    try {
      this.removeAnnouncement()
    } catch (error) {
      failed(error)
    }
  }

  #file(name: string): string {
    return join(this.path, name)
  }

  /** Replaces a file atomically. */
  #replace(name: string, content: string): void {
    rmSync(this.#file(`${name}.new`), { force: true })
    this.#writeOnce(`${name}.new`, content)
    renameSync(this.#file(`${name}.new`), this.#file(name))
  }

  /** Writes a file unless its name exists, even as a dangling link. If that fails, as on a full disk, there is no file. */
  #writeOnce(name: string, content: string): void {
    const created = createdFile(this.#file(name))
    if (created === undefined) return
    try {
      writeFileSync(created, content)
    } catch (error) {
      rmSync(this.#file(name), { force: true })
      throw error
    } finally {
      closeSync(created)
    }
  }

  /** Writes a file that was left empty: a start was killed between creating and writing it, or the disk was full. */
  #fillEmpty(name: string, content: string): void {
    const file = this.#file(name)
    const stats = lstatSync(file)
    // Appended, so that nothing is lost that another daemon writes at the same time: a token of two lines is refused.
    if (stats.isFile() && stats.size === 0) writeFileSync(file, content, { flag: 'a' })
  }
}

/** Creates a file. @returns its descriptor; undefined if the name exists */
function createdFile(path: string): number | undefined {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
}

/** Whether the mode of a file lets its group or others open it. Always false on systems without owners. */
const isOpenToOthers = (path: string): boolean =>
  process.geteuid !== undefined && (statSync(path).mode & 0o077) !== 0

/** Whether a process with this ID exists, of any user. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
