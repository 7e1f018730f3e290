import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Opening a pipe returns at once, whether or not a process writes to it. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

const CHUNK_BYTES = 65_536
const POLL_MS = 10
/** The maximum time to wait for the content of a pipe, in milliseconds. */
const PIPE_TIMEOUT_MS = 5_000

export type GivenFile = {
  /** The size in bytes; for an endless source, at least one more than was allowed. */
  readonly size: number
  /** The content, truncated if it is larger than allowed. */
  readonly content: Buffer
}

/**
 * Reads a file whose path the user gave. A pipe such as `<(pass show token)` is read until its writer closes it.
 * @param limits.maxBytes - reading stops beyond this size, because a device such as /dev/zero has no end
 * @throws the system's error, or an Error for a pipe that its writer does not close within 5 seconds
 */
export function readGivenFile(
  path: string,
  { maxBytes, timeoutMs = PIPE_TIMEOUT_MS }: { readonly maxBytes: number; readonly timeoutMs?: number },
): GivenFile {
  const file = openSync(path, READ)
  try {
    const stats = fstatSync(file)
    if (stats.isFile() && stats.size > maxBytes) return { size: stats.size, content: Buffer.alloc(0) }
    const content = Buffer.concat([...chunksOf(file, { path, maxBytes, timeoutMs, isPipe: stats.isFIFO() })])
    return { size: content.length, content }
  } finally {
    closeSync(file)
  }
}

function* chunksOf(
  file: number,
  given: {
    readonly path: string
    readonly maxBytes: number
    readonly timeoutMs: number
    readonly isPipe: boolean
  },
): Generator<Buffer> {
  let polls = given.timeoutMs / POLL_MS
  for (let size = 0; size <= given.maxBytes; ) {
    const chunk = readChunk(file, given.maxBytes + 1 - size)
    // A pipe also reads as empty before its first writer opens it.
    if (chunk?.length === 0 && !(given.isPipe && size === 0)) return
    if (chunk && chunk.length > 0) {
      size += chunk.length
      yield chunk
    } else if (polls > 0) {
      polls -= 1
      sleep(POLL_MS)
    } else
      throw new Error(
        `${given.path} is a pipe that was not written and closed within ${given.timeoutMs / 1000} s`,
      )
  }
}

/** Reads the next bytes. @returns undefined if the writer of a pipe has not written them yet */
function readChunk(file: number, maxBytes: number): Buffer | undefined {
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes))
  try {
    return chunk.subarray(0, readSync(file, chunk))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

/** Blocks the thread. That does no harm, because files are read before any other work starts. */
const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** The size limit of a secret file. A token is far smaller. */
const MAX_TOKEN_BYTES = 65_536

/** Reads a file that contains only a secret. @throws as readGivenFile does, and an Error for a file of more than 64 KiB */
export function readSecretFile(path: string): string {
  const { size, content } = readGivenFile(path, { maxBytes: MAX_TOKEN_BYTES })
  if (size > MAX_TOKEN_BYTES) throw new Error(`${path} is larger than ${MAX_TOKEN_BYTES} bytes`)
  return content.toString('utf8').trim()
}
