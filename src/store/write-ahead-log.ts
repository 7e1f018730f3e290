import { existsSync } from 'node:fs'
import { bytesOf } from './bytes.ts'
import { DatabaseUnusable } from './unusable.ts'

/** Source: SQLite's file format, 4.1. */
const HEADER_BYTES = 32
const CHECKED_BYTES = 24
const FRAME_HEADER_BYTES = 24
const SALTS_AT = 16
const SALT_BYTES = 8
/** What a log begins with, by the order of bytes in which its checksum takes the words. */
const LITTLE_ENDIAN = 0x377f0682
const BIG_ENDIAN = 0x377f0683

/**
 * Refuses a write-ahead log that SQLite would ignore or delete, although it holds what was written last: one whose header cannot
 * be read, or whose database is gone. Of a log that breaks off somewhere, what comes before is used, as after a power cut.
 * @param size - of the database, in bytes; 0 if there is none
 * @throws DatabaseUnusable
 */
export function checkLog(path: string, size: number): void {
  const log = `${path}-wal`
  const header = bytesOf(log, 0, HEADER_BYTES)
  if (header.length < HEADER_BYTES || header.every((byte) => byte === 0)) return
  const remedy = 'Put back what belongs there, or delete it to go on without'
  if (size === 0) {
    throw new DatabaseUnusable(
      'unreadable',
      `${log} holds what was written last to a database that is gone. ${remedy}.`,
    )
  }
  if (!isWhole(header)) {
    throw new DatabaseUnusable(
      'unreadable',
      `${log} is damaged: it is no write-ahead log, and whatever was written last to ${path} is in it. ${remedy}.`,
    )
  }
}

/** The numbers of the pages that a database's log holds. Source: SQLite's file format, 4.1. */
export function pagesInLog(path: string, pageSize: number): ReadonlySet<number> {
  const log = `${path}-wal`
  const pages = new Set<number>()
  if (!existsSync(log)) return pages
  const salts = bytesOf(log, SALTS_AT, SALT_BYTES)
  for (let at = HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageSize) {
    const frame = bytesOf(log, at, FRAME_HEADER_BYTES)
    // Frames with other salts are left of an earlier use of the file.
    if (frame.length < FRAME_HEADER_BYTES || !frame.subarray(8, 8 + SALT_BYTES).equals(salts)) return pages
    pages.add(frame.readUInt32BE(0))
  }
}

/** Whether a header has a magic number and the checksum that belongs to the rest of it. Source: SQLite's file format, 4.2. */
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
