import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { type FreeBytes, freeBytes, RESERVED } from '../store/disk-room.ts'
import { reasonForeign } from '../store/own-files.ts'

/** The size at which a log file is rotated, in bytes. */
const MAX_BYTES = 5 * 1_048_576
/** The free space below which nothing is written, in bytes. A start needs that space. The database stops growing earlier. */
const LEAST_ROOM = RESERVED / 2
/** The number of bytes written between two measurements of the free space. */
const BYTES_A_CHECK = 4_096

/**
 * A log file that only its owner can read. Above a maximum size it is renamed to `….1`, which replaces the previous one.
 * paytwin: at most some 10 MB of log.
 */
export class LogFile {
  readonly #path: string
  readonly #maxBytes: number
  #file: number
  #size: number
  readonly #free: FreeBytes
  #unchecked = BYTES_A_CHECK
  #isShortOfRoom = false

  constructor(
    path: string,
    { maxBytes = MAX_BYTES, free = freeBytes }: { maxBytes?: number; free?: FreeBytes } = {},
  ) {
    this.#free = free
    this.#path = path
    this.#maxBytes = maxBytes
    this.#file = openForOwner(path)
    this.#size = fstatSync(this.#file).size
  }

  /** Appends a line with its line end. A full disk does not stop the daemon, and a nearly full one gets no more lines. */
  write(line: string): void {
    if (this.#hasNoRoomFor(line)) return
    try {
      if (this.#size > 0 && this.#size + line.length > this.#maxBytes) this.#rotate()
    } catch {
      // Without room for another file, this file is continued, and the next line tries to rotate again. If only closing the old file
      // failed, the new one is in use.
    }
    try {
      this.#size += writeSync(this.#file, line)
    } catch {
      // The log is the only place to report the error.
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  #hasNoRoomFor(line: string): boolean {
    this.#unchecked += line.length
    if (this.#unchecked >= BYTES_A_CHECK) {
      this.#unchecked = 0
      this.#isShortOfRoom = this.#free(this.#path) < LEAST_ROOM
    }
    return this.#isShortOfRoom
  }

  /**
   * Starts a new file. If that fails, the old one is continued. `close` frees a descriptor even if it fails, and another file can get its
   * number, so the descriptor is replaced first.
   */
  #rotate(): void {
    if (existsSync(this.#path)) renameSync(this.#path, `${this.#path}.1`)
    const old = this.#file
    this.#file = openForOwner(this.#path)
    this.#size = 0
    closeSync(old)
  }
}

/** Opening a pipe without a reader fails instead of blocking, and opening a link fails instead of following it. */
const APPEND =
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_WRONLY |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOFOLLOW ?? 0)

/** Opens a log file. @throws Error if it is not a regular file of this user; then nothing is changed */
function openForOwner(path: string): number {
  const file = openSync(path, APPEND, 0o600)
  try {
    const stats = fstatSync(file)
    const trouble = stats.isFile() ? reasonForeign(stats) : 'it is not a file'
    if (trouble !== undefined) throw new Error(`${path}: ${trouble}`)
    fchmodSync(file, 0o600)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}
