import { existsSync } from 'node:fs'
import { bytesOf } from './bytes.ts'
import { DatabaseUnusable } from './unusable.ts'

// Source: SQLite's file format, 4.1.
const HEADER_BYTES = 32
const CHECKED_BYTES = 24
const FRAME_HEADER_BYTES = 24
const SALTS_AT = 16
const SALT_BYTES = 8
/** The magic numbers of a log, by the byte order of its checksums. */
const LITTLE_ENDIAN = 0x377f0682
const BIG_ENDIAN = 0x377f0683

/**
 * Refuses a write-ahead log that SQLite would ignore or delete although it holds the latest writes: the header is
 * invalid, or the database does not exist. A log that is truncated is used up to that point, as after a power failure.
 * @param size - of the database, in bytes; 0 if there is none
 * @throws DatabaseUnusable
 */
export function checkLog(path: string, size: number): void {
  const log = `${path}-wal`
  const header = bytesOf(log, 0, HEADER_BYTES)
  if (header.length < HEADER_BYTES || header.every((byte) => byte === 0)) return
  const remedy = 'Restore the missing file, or delete the log to continue without it'
  if (size === 0) {
    throw new DatabaseUnusable(
      'unreadable',
      `${log} holds the latest writes to a database that does not exist. ${remedy}.`,
    )
  }
  if (!isWhole(header)) {
    throw new DatabaseUnusable(
      'unreadable',
      `${log} is damaged: it is not a write-ahead log, but it holds the latest writes to ${path}. ${remedy}.`,
    )
  }
}

/** Lists the numbers of the pages in a database's log. Source: SQLite's file format, 4.1. */
export function pagesInLog(path: string, pageSize: number): ReadonlySet<number> {
  const log = `${path}-wal`
  const pages = new Set<number>()
  if (!existsSync(log)) return pages
  const salts = bytesOf(log, SALTS_AT, SALT_BYTES)
  for (let at = HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageSize) {
    const frame = bytesOf(log, at, FRAME_HEADER_BYTES)
    // Frames with other salts remain from an earlier use of the file.
    if (frame.length < FRAME_HEADER_BYTES || !frame.subarray(8, 8 + SALT_BYTES).equals(salts)) return pages
    pages.add(frame.readUInt32BE(0))
  }
}

/** Reports whether a header has a magic number and a valid checksum. Source: SQLite's file format, 4.2. */
function isWhole(header: Buffer): boolean {
  const magic = header.readUInt32BE(0)
  if (magic !== LITTLE_ENDIAN && magic !== BIG_ENDIAN) return false
  const word = (at: number) => (magic === BIG_ENDIAN ? header.readUInt32BE(at) : header.readUInt32LE(at))
  let [first, second] = [0, 0]
  for (let at = 0; at < CHECKED_BYTES; at += 8) {
    first = (first + word(at) + second) >>> 0
    second = (second + word(at + 4) + first) >>> 0
  }
  return first === header.readUInt32BE(24) && second === header.readUInt32BE(28)
}
