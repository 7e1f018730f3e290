import type { IncomingMessage } from 'node:http'
import { ApiError, assert, parameterInvalid } from '../core/errors.ts'
import { appended, NOTHING } from './bytes.ts'
import type { Reading } from './incoming.ts'

const decoder = new TextDecoder()

/**
 * Reads the body of a request that was made within the process. A caller can give any stream, which is canceled if the request is
 * aborted or the body refused.
 * @throws ApiError parameter_invalid, param null, if the stream fails or the request is aborted
 */
export async function readStream({ body, signal }: Request, add: Reading['add']): Promise<string> {
  if (!body) return ''
  let all: Buffer = NOTHING
  let size = 0
  let reader: ReadableStreamDefaultReader<unknown> | undefined
  // A stream that fails to be canceled is not read either.
  const cancel = () => void reader?.cancel(signal.reason).catch(() => undefined)
  // A stream may stall, so the abort ends a read that waits.
  signal.addEventListener('abort', cancel)
  try {
    reader = body.getReader()
    for (;;) {
      signal.throwIfAborted()
      const { done, value: chunk } = await reader.read()
      signal.throwIfAborted()
      if (done) return decoder.decode(all.subarray(0, size))
      // A test runner can have classes of its own, so instanceof would not find them.
      if (!isBytes(chunk)) throw new TypeError('its stream does not contain bytes')
      add(chunk.byteLength)
      all = appended(all, size, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      size += chunk.byteLength
    }
  } catch (error) {
    cancel()
    if (error instanceof ApiError) throw error
    const why = error instanceof Error ? error.message : 'its stream failed'
    throw parameterInvalid(null, `The body cannot be read: ${why}`)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

const isBytes = (chunk: unknown): chunk is Uint8Array => ArrayBuffer.isView(chunk)

/**
 * Reads the body of a request of Node. The connection may have been closed before, such as during an injected latency: then a
 * body that arrived completely is read, too.
 * @throws Error if the connection is closed before the body has arrived
 */
export async function readNodeBody(request: IncomingMessage, { add, turn }: Reading): Promise<string> {
  const bytes = await bytesOf(request, add)
  const waiting = turn()
  if (waiting) await waiting
  return decoder.decode(bytes)
}

/** Reads the bytes of a body. Its chunks can be very many and small, so each is copied, and only counted otherwise. */
function bytesOf(request: IncomingMessage, add: Reading['add']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let all: Buffer = NOTHING
    let size = 0
    let isRefused = false
    const take = (chunk: Buffer): void => {
      try {
        add(chunk.length)
        all = appended(all, size, chunk)
        size += chunk.length
      } catch (error) {
        leave()
        isRefused = true
        reject(error)
      }
    }
    /** Removes the listeners: Node keeps the request until it is answered, and they would keep the body. */
    const leave = () => request.off('data', take).off('end', end).off('close', closed)
    const end = () => {
      leave()
      resolve(all.subarray(0, size))
    }
    /** Ends the reading of a closed request, which emits neither data nor its end. Node emits no error without a listener. */
    const closed = () => {
      if (!request.complete) {
        leave()
        return reject(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }))
      }
      for (let rest = request.read(); rest !== null && !isRefused; rest = request.read()) take(rest)
      end()
    }
    assert(!request.readableEnded, 'a body is read once')
    if (request.closed) return closed()
    request.on('data', take)
    request.once('end', end)
    request.once('close', closed)
  })
}
