import { closeSync, fstatSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../failure.ts'
import { openOwnFile, readOwnFile } from '../own-file.ts'

const POLL_INTERVAL_MS = 100
const CHUNK_BYTES = 65_536

/** Reads a log file while the daemon writes to it, also across rotation and restarts of the daemon. */
export class LogTail {
  readonly #path: string
  #file: number
  #decoder = new StringDecoder('utf8')
  /** The start of a line that is not complete yet. */
  #rest = ''

  /** @throws the system's error if the file does not exist or cannot be read */
  constructor(path: string) {
    this.#path = path
    this.#file = openOwnFile(path)
  }

  /** Returns the last lines. If the file has too few, the rotated file supplies the rest. */
  last(count: number): string[] {
    const present = this.#read()
    const earlier = present.length < count ? linesOf(`${this.#path}.1`) : []
    return count === 0 ? [] : [...earlier, ...present].slice(-count)
  }

  /** Yields each new line after those already read, until the signal aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    while (!signal.aborted) {
      yield* this.#read()
      if (this.#isRotated()) {
        // Lines may have been written between the last read and the rotation.
        yield* this.#read()
        this.#reopen()
      } else {
        await delay(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Reads the complete lines since the last read. */
  #read(): string[] {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let size = readSync(this.#file, chunk); size > 0; size = readSync(this.#file, chunk)) {
      this.#rest += this.#decoder.write(chunk.subarray(0, size))
    }
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }

  #isRotated(): boolean {
    const current = statSync(this.#path, { throwIfNoEntry: false })
    return current !== undefined && current.ino !== fstatSync(this.#file).ino
  }

  #reopen(): void {
    const old = this.#file
    this.#file = openOwnFile(this.#path)
    closeSync(old)
    this.#decoder = new StringDecoder('utf8')
    this.#rest = ''
  }
}

function linesOf(path: string): string[] {
  try {
    return readOwnFile(path).split('\n').slice(0, -1)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new Failure(1, `The log cannot be read: ${message}`)
  }
}
