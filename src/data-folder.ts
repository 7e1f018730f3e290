import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claimFolder, writable } from './claim-folder.ts'
import { StartRefused } from './start-refused.ts'
import { whyNotOwn } from './store/own-files.ts'

/** What daemon.json says of the daemon that uses a data folder. */
export type DaemonFile = { readonly url: string; readonly pid: number }

/**
 * The daemon's folder: only its owner may look into it, and version control leaves it out.
 * See docs/contract/operator.md#data-folder.
 */
export class DataFolder {
  readonly path: string

  /** @throws StartRefused when the folder cannot be made or written, or serves something else */
  constructor(path: string) {
    this.path = path
    claimFolder(path)
    writable(path, () => this.#writeOnce('.gitignore', '*\n'))
  }

  get database(): string {
    return this.#file('paytwin.db')
  }

  /** Whether its database was there once and is empty now: what a first start left that was killed has no log beside it. */
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
   * The folder's admin token, which is made when there is none. Of two daemons that start at once, one makes it.
   * @throws StartRefused when it cannot be read
   */
  adminToken(make: () => string): string {
    this.#writeOnce('admin-token', `${make()}\n`)
    try {
      // Reading a pipe would wait for ever.
      if (!statSync(this.adminTokenFile).isFile()) throw new Error('it is not a file')
      return readFileSync(this.adminTokenFile, 'utf8').trim()
    } catch (error) {
      throw new StartRefused(
        1,
        `The admin token in ${this.adminTokenFile} cannot be read: ${(error as Error).message}. Delete it, and the next start makes a new one.`,
      )
    }
  }

  /** Tells the command line where the daemon is. Readers see all of it or nothing. */
  announce(daemon: DaemonFile): void {
    rmSync(this.#file('daemon.json.new'), { force: true })
    this.#writeOnce('daemon.json.new', `${JSON.stringify(daemon)}\n`)
    renameSync(this.#file('daemon.json.new'), this.#file('daemon.json'))
  }

  /** The daemon that announced itself and still lives; undefined for none, or one that was killed. */
  announced(): DaemonFile | undefined {
    const file = this.#file('daemon.json')
    // Reading a pipe would block forever.
    if (!existsSync(file) || whyNotOwn(file, 'file') !== undefined) return undefined
    try {
      const daemon = JSON.parse(readFileSync(file, 'utf8')) as DaemonFile
      return lives(daemon.pid) ? daemon : undefined
    } catch {
      // Another daemon took it away at this moment, or somebody wrote something else there.
      return undefined
    }
  }

  /** Takes back what was announced: only for the one who has the database, so that nobody else's is taken. */
  retract(): void {
    rmSync(this.#file('daemon.json'), { force: true })
  }

  #file(name: string): string {
    return join(this.path, name)
  }

  /** Writes a file unless there is something of its name, be it a link that leads elsewhere. */
  #writeOnce(name: string, content: string): void {
    try {
      writeFileSync(this.#file(name), content, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Whether there is a process of that number, whoever's it is. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
