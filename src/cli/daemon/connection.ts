import { lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Address } from '../../client/transport.ts'
import { type FolderIdentity, isCopy } from '../../daemon/folder-identity.ts'
import { readSecretFile } from '../../text/given-file.ts'
import { isVisibleAscii } from '../../text/visible-ascii.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { type Io, variable } from '../io.ts'
import { readOwnFile, whyForeign } from '../own-file.ts'

export const DEFAULT_DATA = '.paytwin'
export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_PORT = 4242

/** The options that select a daemon. */
export type ConnectionOptions = { readonly url?: string | undefined; readonly data?: string | undefined }

/**
 * Finds the daemon's URL and admin token. The token comes from the environment, or else from the data folder. A data folder's
 * token is sent only to the URL in its `daemon.json`. A daemon at that URL must first prove that it has the token, whichever source the
 * token comes from.
 * @throws Failure 2 for an invalid URL, an invalid token, or a token file that cannot be read; Failure 3 for a data
 * folder of another user, a copy of one, or one that cannot be read
 * See docs/contract/command-line.md#finding-the-daemon.
 */
export function findDaemon(options: ConnectionOptions, io: Pick<Io, 'env'>): Address {
  const folder = folderOf(options, io)
  const given = options.url ?? variable(io, 'PAYTWIN_URL')
  const fromEnvironment = environmentToken(io)
  if (given !== undefined && fromEnvironment !== undefined)
    return { url: checkedUrl(given), token: checkedToken(fromEnvironment) }
  checkOwner(folder)
  const announced = announcedUrl(folder, given !== undefined)
  const url = checkedUrl(given ?? announced ?? `http://${DEFAULT_HOST}:${DEFAULT_PORT}`)
  const token = fromEnvironment ?? (url === announced ? folderToken(folder) : null)
  if (token === null) return { url, token }
  const address = { url, token: checkedToken(token) }
  // The folder may name the URL of a killed daemon, and another process may have taken its port since.
  return url === announced ? { ...address, requiresProof: true } : address
}

/**
 * Rereads the address of a daemon from the data folder that it was found by: `start --port 0` takes another port each time. The token
 * stays, because its file may be a pipe, which can be read only once.
 * @returns undefined if the folder names no daemon at present, or if the daemon was not found by its folder
 */
export function addressAfterRestart(
  before: Address,
  options: ConnectionOptions,
  io: Pick<Io, 'env'>,
): Address | undefined {
  const given = options.url ?? variable(io, 'PAYTWIN_URL')
  if (given !== undefined || !before.requiresProof) return undefined
  const folder = folderOf(options, io)
  try {
    checkOwner(folder)
    const url = announcedUrl(folder, false)
    return url === undefined ? undefined : { ...before, url }
  } catch (error) {
    // The daemon may be writing the file.
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Returns the data folder that a command looks in. */
export const folderOf = ({ data }: ConnectionOptions, io: Pick<Io, 'env'>): string =>
  data ?? variable(io, 'PAYTWIN_DATA') ?? DEFAULT_DATA

/**
 * Refuses a data folder of another user, which could name a daemon of that user.
 * @throws Failure 3
 */
function checkOwner(folder: string): void {
  const trouble = ifThere(() => {
    // A path with a slash at its end is that of the target.
    const link = lstatSync(resolve(folder))
    // Checks the link itself, not its target: the owner of a link can change the target.
    return whyForeign(statSync(folder)) ?? (link.isSymbolicLink() ? whyForeign(link) : undefined)
  })
  if (!trouble) return
  throw new Failure(
    3,
    `The data folder ${folder} ${trouble}. Give another one with --data, or give --url and PAYTWIN_ADMIN_TOKEN.`,
  )
}

/**
 * Reads the URL that the folder's daemon wrote when it started.
 * @returns undefined when the folder names no daemon
 * @throws Failure 3 for an invalid URL, or for a copy of a folder if no URL was given: a command for the copy must not change the original
 */
function announcedUrl(folder: string, isUrlGiven: boolean): string | undefined {
  const file = join(folder, 'daemon.json')
  const text = readIfThere(file)
  if (text === null) return undefined
  const { url, identity } = daemonOf(text, file)
  if (!isUrlGiven && isCopy(folder, identity)) {
    throw new Failure(
      3,
      `The data folder ${folder} is a copy, and its daemon.json names the daemon of the original, ${url}. Start a daemon for the copy with 'paytwin start --data ${folder}', or give a URL with --url.`,
    )
  }
  return url
}

/** Parses a `daemon.json`; those of earlier versions have no identity. @throws Failure 3 */
function daemonOf(
  text: string,
  file: string,
): { readonly url: string; readonly identity: FolderIdentity | undefined } {
  try {
    const { url, folder } = JSON.parse(text)
    return { url: checkedUrl(String(url)), identity: folder }
  } catch {
    throw new Failure(
      3,
      `${file} contains no valid daemon URL. Start the daemon with 'paytwin start', or give its URL with --url.`,
    )
  }
}

function environmentToken(io: Pick<Io, 'env'>): string | undefined {
  const file = variable(io, 'PAYTWIN_ADMIN_TOKEN_FILE')
  const token = variable(io, 'PAYTWIN_ADMIN_TOKEN')
  if (token !== undefined || file === undefined) return token
  return tokenOfFile(file)
}

/** Reads a file with an admin token. @throws Failure 2 */
export function tokenOfFile(file: string): string {
  try {
    return readSecretFile(file)
  } catch (error) {
    throw wrongUsage(`The admin token file cannot be read: ${(error as Error).message}`)
  }
}

const folderToken = (folder: string): string | null => readIfThere(join(folder, 'admin-token'))

const readIfThere = (file: string): string | null => ifThere(() => readOwnFile(file))

/** Reads a file of the data folder. @returns null if the file does not exist */
function ifThere<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Failure(3, `The data folder cannot be read: ${message}`)
  }
}

/** Normalizes a daemon's URL, so that two can be compared. @throws Failure 2 */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw wrongUsage(`'${text}' is not a valid daemon URL: use http or https, as in http://127.0.0.1:4242`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function checkedToken(text: string): string {
  const token = text.trim()
  if (!isVisibleAscii(token)) throw wrongUsage('The admin token may only contain visible ASCII characters')
  return token
}
