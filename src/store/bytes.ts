import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reads bytes of a file; fewer if the file ends before. Closing a file releases all locks that this process has on it, so this must
 * not be used on a locked file.
 */
export function bytesOf(file: string, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  const opened = openSync(file, 'r')
  try {
    return bytes.subarray(0, readSync(opened, bytes, 0, length, at))
  } finally {
    closeSync(opened)
  }
}
