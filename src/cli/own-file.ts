import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/** Opening a pipe without a writer returns at once instead of waiting for one. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Opens a file for reading. Anything else, such as a pipe, could block forever, and a file of another user could mislead a
 * command, also by a link.
 * @throws the system's error, or an Error if it is not a regular file of this user or of root
 */
export function openOwnFile(path: string): number {
  const file = openUnlinked(path)
  const stats = fstatSync(file)
  const trouble = stats.isFile() ? whyForeign(stats) : 'is not a file'
  if (trouble === undefined) return file
  closeSync(file)
  throw new Error(`${path} ${trouble}`)
}

function openUnlinked(path: string): number {
  try {
    return openSync(path, READ)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw new Error(`${path} is a symbolic link`)
    throw error
  }
}

/** Explains that a file or folder belongs to another user than this one or root; undefined where files have no owners. */
export function whyForeign({ uid }: Pick<Stats, 'uid'>): string | undefined {
  const user = process.geteuid?.()
  if (user === undefined || uid === user || uid === 0) return undefined
  return `belongs to another user (${uid}; this is ${user})`
}

/** Reads a text file; throws as openOwnFile does. */
export function readOwnFile(path: string): string {
  const file = openOwnFile(path)
  try {
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
