import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Refused, Unreachable } from '../../client/errors.ts'
import type { Address } from '../../client/transport.ts'
import { Failure } from '../failure.ts'
import { type Io, variable } from '../io.ts'
import { type ConnectionOptions, folderOf } from './connection.ts'

/**
 * Explains why no daemon answers, or why a daemon refuses the token. The message has the source of the url, and says how to
 * choose another daemon. Other errors are returned unchanged.
 * See docs/contract/command-line.md#finding-the-daemon.
 */
export function explainConnection(
  error: unknown,
  { url, token }: Address,
  options: ConnectionOptions,
  io: Pick<Io, 'env'>,
): unknown {
  if (error instanceof Unreachable && !error.isConnected) {
    return new Failure(
      3,
      `${error.message}. ${originOf(options, io)} Start a daemon with 'paytwin start', or name another one with --data or --url.`,
    )
  }
  if (error instanceof Refused && error.status === 401 && token === null) {
    const folder = announcingFolder(options, io)
    // A token that the daemon generated would be in its folder.
    if (folder !== undefined) {
      return new Failure(
        1,
        `The daemon of the data folder ${folder} answers at ${url}, but requires another admin token: it was started with one of its own, or another daemon has its port. Set PAYTWIN_ADMIN_TOKEN to its token, or PAYTWIN_ADMIN_TOKEN_FILE to its --admin-token-file.`,
      )
    }
    return new Failure(
      1,
      `A paytwin daemon answers at ${url}, but no admin token for it was found. ${originOf(options, io)} Give its data folder with --data, or its token in PAYTWIN_ADMIN_TOKEN.`,
    )
  }
  return error
}

/** Names the source of the daemon's url in a sentence. */
function originOf(options: ConnectionOptions, io: Pick<Io, 'env'>): string {
  if (options.url !== undefined) return 'The URL is that of --url.'
  if (variable(io, 'PAYTWIN_URL') !== undefined) return 'The URL is that of PAYTWIN_URL.'
  const announcing = announcingFolder(options, io)
  if (announcing !== undefined)
    return `The data folder ${announcing} names this daemon, which was killed or does not answer.`
  const folder = absolute(folderOf(options, io))
  return existsSync(folder)
    ? `The data folder ${folder} names no running daemon, so the default URL was tried.`
    : `There is no data folder ${folder}, so the default URL was tried.`
}

/** Returns the data folder that the url comes from; undefined if it has another source. */
function announcingFolder(options: ConnectionOptions, io: Pick<Io, 'env'>): string | undefined {
  if (options.url !== undefined || variable(io, 'PAYTWIN_URL') !== undefined) return undefined
  const folder = absolute(folderOf(options, io))
  return existsSync(join(folder, 'daemon.json')) ? folder : undefined
}

/** Returns an absolute path, or the given one if the working folder was deleted. */
function absolute(path: string): string {
  try {
    return resolve(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}
