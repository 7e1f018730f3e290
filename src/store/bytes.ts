import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Reads bytes of a file; fewer where it ends before. Closing a file gives up the locks that this process has on it: only for files
 * on which it has none.
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
