import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** Opening a pipe that nobody writes to returns at once instead of waiting for a writer. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Opens a file for reading. Anything else, such as a pipe, could block forever.
 * @throws the system's error, or an Error for what is not a regular file
 */
export function openRegularFile(path: string): number {
  const file = openSync(path, READ)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new Error(`${path} is not a file`)
}

/** Reads a text file; throws as openRegularFile does. */
export function readRegularFile(path: string): string {
  const file = openRegularFile(path)
  try {
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}
