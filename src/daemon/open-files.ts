import { existsSync, readFileSync } from 'node:fs'

/** Where Linux shows the limits of this process. */
const LIMITS_FILE = '/proc/self/limits'

/** The files that are kept for the database, the log, snapshots, and the connections of webhooks, of which some 200 are retries. */
const RESERVE = 400

/** Returns how many files this process may open at a time; Infinity on systems where it cannot be read. Node has raised it as far as it may. */
export const openFileLimit = (): number =>
  existsSync(LIMITS_FILE) ? openFilesIn(readFileSync(LIMITS_FILE, 'utf8')) : Number.POSITIVE_INFINITY

/** Reads the number of open files from the text of the limits of a process. */
export function openFilesIn(limits: string): number {
  const [, soft = 'unlimited'] = /^Max open files +(\d+|unlimited) /m.exec(limits) ?? []
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

/**
 * Returns how many connections may be open at a time, so that files can still be opened.
 * @param wanted - the number without a limit of open files
 */
export const connectionsWithin = (openFiles: number, wanted: number): number =>
  Math.min(wanted, openFiles - Math.min(RESERVE, Math.ceil(openFiles / 2)))
