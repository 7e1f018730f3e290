import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from './core/errors.ts'
import { mistakesOf, mistakeText } from './core/fixture-mistakes.ts'
import type { DaemonFile, DataFolder } from './data-folder.ts'
import { OptionConflict } from './sandbox.ts'
import { StartRefused } from './start-refused.ts'
import { NativePartUnusable } from './store/native-part.ts'
import { DatabaseUnusable } from './store/unusable.ts'
import { RangeInvalid } from './webhooks/address.ts'

/** How often, and how many times, a daemon that is refused looks for the address of one that is just starting. */
const LOOK_EVERY_MS = 50
const LOOKS = 60

/** What kept a daemon from starting, in a sentence for the person who starts it; our own mistake stays as it was. */
export async function refusalOf(error: unknown, folder: DataFolder | null): Promise<unknown> {
  if (error instanceof ApiError) {
    const [first = error.message, ...others] = mistakesOf(error).map(mistakeText)
    return new StartRefused(2, first, others)
  }
  if (error instanceof OptionConflict) return new StartRefused(2, error.message)
  if (error instanceof RangeInvalid) return new StartRefused(2, `--webhook-allow: ${error.message}`)
  if (error instanceof NativePartUnusable) return new StartRefused(1, error.message)
  if (folder && isOfDisk(error)) {
    return new StartRefused(1, `The data folder ${folder.path} cannot be written: ${error.message}`)
  }
  if (!(error instanceof DatabaseUnusable)) return error
  if (error.reason !== 'locked' || !folder) return new StartRefused(1, error.message)
  const other = await otherDaemon(folder)
  const whose = other ? `by the daemon with pid ${other.pid} at ${other.url}` : 'by another process'
  return new StartRefused(
    1,
    `The data folder ${folder.path} is in use ${whose}. Stop it, or give another --data folder.`,
  )
}

/** Whether an error is the operating system's, about a file: no space, no permission, read-only, broken. */
const isOfDisk = (error: unknown): error is Error =>
  error instanceof Error && 'syscall' in error && 'errno' in error

/** Who has the database: one that is just starting announces itself in a moment. */
async function otherDaemon(folder: DataFolder): Promise<DaemonFile | undefined> {
  for (let look = 0; look < LOOKS; look += 1) {
    const other = folder.announced()
    if (other) return other
    await delay(LOOK_EVERY_MS)
  }
  return undefined
}
