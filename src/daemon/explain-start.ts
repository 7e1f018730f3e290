import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../core/errors.ts'
import { mistakesOf, mistakeText } from '../core/fixture-mistakes.ts'
import { NativePartUnusable } from '../store/native-part.ts'
import { DatabaseUnusable, isOfDamage, laterDamageError, toDatabaseUnusable } from '../store/unusable.ts'
import { RangeInvalid } from '../webhooks/address.ts'
import { OptionConflict } from './beginning.ts'
import type { DaemonFile, DataFolder } from './data-folder.ts'
import { StartRefused } from './start-refused.ts'

/** The interval and the number of attempts at which a refused daemon looks for the URL of another daemon that is starting. */
const POLL_INTERVAL_MS = 50
const POLLS = 60

/** Converts an error of SQLite. The inspection of a database cannot find all damage, such as rows in a wrong index. */
const unusableOf = (error: unknown, database: string): unknown =>
  isOfDamage(error) ? laterDamageError(database, error.message) : toDatabaseUnusable(error, database)

/** Converts an error to a StartRefused with a message for the user. Internal errors are returned unchanged. */
export async function refusalOf(thrown: unknown, folder: DataFolder | null): Promise<unknown> {
  const error = folder ? unusableOf(thrown, folder.database) : thrown
  if (error instanceof ApiError) {
    const [first = error.message, ...others] = mistakesOf(error).map(mistakeText)
    return new StartRefused(2, first, others)
  }
  if (error instanceof OptionConflict) return new StartRefused(2, error.message)
  if (error instanceof RangeInvalid) return new StartRefused(2, `--webhook-allow: ${error.message}`)
  if (error instanceof NativePartUnusable) {
    const [first = '', ...others] = error.message.split('\n')
    return new StartRefused(1, first, others)
  }
  if (folder && isOfDisk(error)) {
    return new StartRefused(1, `The data folder ${folder.path} cannot be written: ${error.message}`)
  }
  if (!(error instanceof DatabaseUnusable)) return error
  if (error.reason !== 'locked' || !folder) return new StartRefused(1, error.message)
  const other = await otherDaemon(folder)
  const user = other ? `by the daemon with pid ${other.pid} at ${other.url}` : 'by another process'
  const stop = other ? "Stop it with 'paytwin stop'" : 'Stop it'
  return new StartRefused(
    1,
    `The data folder ${folder.path} is in use ${user}. ${stop}, or give another --data folder.`,
  )
}

/** Whether an error is a file error of the operating system, such as no space or no permission. */
const isOfDisk = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && 'errno' in error

/** Finds the daemon that holds the database. A daemon that is starting announces itself soon. */
async function otherDaemon(folder: DataFolder): Promise<DaemonFile | undefined> {
  for (let poll = 0; poll < POLLS; poll += 1) {
    const other = folder.announced()
    if (other) return other
    await delay(POLL_INTERVAL_MS)
  }
  return undefined
}
