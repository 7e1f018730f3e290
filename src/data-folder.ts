import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** What daemon.json says of the daemon that uses a data folder. */
export type DaemonFile = { readonly url: string; readonly pid: number }

/** The daemon's folder: only its owner may look into it, and version control leaves it out. Source: operator.md, "Daemon". */
export class DataFolder {
  readonly path: string

  /** @throws Error with a sentence for people when the folder cannot be made or written */
  constructor(path: string) {
    this.path = path
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      chmodSync(path, 0o700)
      accessSync(path, constants.W_OK | constants.X_OK)
      if (!existsSync(this.#file('.gitignore'))) this.#write('.gitignore', '*\n')
    } catch (error) {
      throw new Error(`The data folder ${path} cannot be written: ${(error as Error).message}`)
    }
  }

  get database(): string {
    return this.#file('paytwin.db')
  }

  get adminTokenFile(): string {
    return this.#file('admin-token')
  }

  /** The folder's admin token, which is made when there is none. */
  adminToken(make: () => string): string {
    if (!existsSync(this.adminTokenFile)) this.#write('admin-token', `${make()}\n`)
    return readFileSync(this.adminTokenFile, 'utf8').trim()
  }

  /** Tells the command line where the daemon is. */
  announce(daemon: DaemonFile): void {
    this.#write('daemon.json', `${JSON.stringify(daemon)}\n`)
  }

  /** What the last daemon announced; undefined when none has, or it ended in order. */
  announced(): DaemonFile | undefined {
    const file = this.#file('daemon.json')
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as DaemonFile) : undefined
  }

  retract(): void {
    rmSync(this.#file('daemon.json'), { force: true })
  }

  #file(name: string): string {
    return join(this.path, name)
  }

  #write(name: string, content: string): void {
    writeFileSync(this.#file(name), content, { mode: 0o600 })
  }
}
