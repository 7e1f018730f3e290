import { closeSync, constants, fchmodSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { whyOthers } from './store/own-files.ts'

/** When a log file is put aside for a new one, in bytes. */
const MAX_BYTES = 5 * 1_048_576

/**
 * A log in a file that its owner alone can read. It does not grow for ever: past a size it is put aside, as `….1`, and
 * the one that was put aside before goes.
 * paytwin: at most some 10 MB of log.
 */
export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  #file: number
  #size: number

  constructor(path: string, { maxBytes = MAX_BYTES }: { maxBytes?: number } = {}) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#file = openForOwner(path)
    this.#size = fstatSync(this.#file).size
  }

  /** Adds a line, which brings its own end. A disk that takes no more of them is no reason to stop serving. */
  write(line: string): void {
    try {
      if (this.#size > 0 && this.#size + line.length > this.#maxBytes) this.#putAside()
      this.#size += writeSync(this.#file, line)
    } catch {
      // There is nowhere left to say so.
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  #putAside(): void {
    renameSync(this.#path, `${this.#path}.1`)
    closeSync(this.#file)
    this.#file = openForOwner(this.#path)
    this.#size = 0
  }
}

/** Opening a pipe that nobody reads fails instead of waiting for a reader; opening a link fails instead of following it. */
const APPEND =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0)

/** @throws for what is not a file of this user: nothing is written or changed there */
function openForOwner(path: string): number {
  const file = openSync(path, APPEND, 0o600)
  try {
    const stats = fstatSync(file)
    const trouble = stats.isFile() ? whyOthers(stats) : 'it is not a file'
    if (trouble !== undefined) throw new Error(`${path}: ${trouble}`)
    fchmodSync(file, 0o600)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}
