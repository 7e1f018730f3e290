import { closeSync, fstatSync, readSync, statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from './failure.ts'
import { openOwnFile, readOwnFile } from './own-file.ts'

const LOOK_EVERY_MS = 100
const CHUNK_BYTES = 65_536

/** A log file while it is being written, also when it is put aside for a new one, or only comes back with the next daemon. */
export class LogTail {
  readonly #path: string
  #file: number
  #decoder = new StringDecoder('utf8')
  /** The beginning of a line whose end has not been written yet. */
  #rest = ''

  /** @throws the system's error when there is no such file, or it cannot be read */
  constructor(path: string) {
    this.#path = path
    this.#file = openOwnFile(path)
  }

  /** The last lines that there are; what was put aside helps out where the file is too short. */
  last(count: number): string[] {
    const present = this.#read()
    const earlier = present.length < count ? linesOf(`${this.#path}.1`) : []
    return count === 0 ? [] : [...earlier, ...present].slice(-count)
  }

  /** The lines that come after those that were read, without end. */
  async *follow(signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    while (!signal.aborted) {
      yield* this.#read()
      if (this.#isPutAside()) {
        // What was written between the last look and the change.
        yield* this.#read()
        this.#reopen()
      } else {
        await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** The whole lines from where the last reading ended. */
  #read(): string[] {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    for (let size = readSync(this.#file, chunk); size > 0; size = readSync(this.#file, chunk)) {
      this.#rest += this.#decoder.write(chunk.subarray(0, size))
    }
    const lines = this.#rest.split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }

  #isPutAside(): boolean {
    const there = statSync(this.#path, { throwIfNoEntry: false })
    return there !== undefined && there.ino !== fstatSync(this.#file).ino
  }

  #reopen(): void {
    closeSync(this.#file)
    this.#file = openOwnFile(this.#path)
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
