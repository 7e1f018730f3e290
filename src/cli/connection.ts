import { lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Address } from '../client/transport.ts'
import { Failure, wrongUsage } from './failure.ts'
import { type Io, variable } from './io.ts'
import { readOwnFile, whyForeign } from './own-file.ts'

export const DEFAULT_DATA = '.paytwin'
export const DEFAULT_HOST = '127.0.0.1'
export const DEFAULT_PORT = 4242

/** How a command is told where its daemon is. */
export type ConnectionOptions = { readonly url?: string | undefined; readonly data?: string | undefined }

/**
 * Where the daemon is, and the token for it: the one of the environment, itself or the file that has it, else the data folder's,
 * which only its own daemon is ever shown, once it has proved that it is that.
 * @throws Failure 2 for a url that is none, a token that cannot be one, or a file of it that cannot be read; Failure 3 for a data
 * folder of another user, or one that cannot be read
 * See docs/contract/command-line.md#finding-the-daemon.
 */
export function findDaemon(options: ConnectionOptions, io: Pick<Io, 'env'>): Address {
  const folder = options.data ?? variable(io, 'PAYTWIN_DATA') ?? DEFAULT_DATA
  const given = options.url ?? variable(io, 'PAYTWIN_URL')
  const chosen = givenToken(io)
  if (given !== undefined && chosen !== undefined)
    return { url: checkedUrl(given), token: checkedToken(chosen) }
  checkOwner(folder)
  const announced = announcedUrl(folder)
  const url = checkedUrl(given ?? announced ?? `http://${DEFAULT_HOST}:${DEFAULT_PORT}`)
  if (chosen !== undefined) return { url, token: checkedToken(chosen) }
  const token = url === announced ? folderToken(folder) : null
  // What a daemon that was killed wrote down is still there, and its port may be a stranger's by now.
  return token === null ? { url, token } : { url, token: checkedToken(token), mustProve: true }
}

/**
 * Refuses a data folder of another user: what it holds could lead a command to a daemon of that user.
 * @throws Failure 3
 */
function checkOwner(folder: string): void {
  const trouble = ifThere(() => {
    const link = lstatSync(folder)
    // Who owns a link decides where it leads.
    return whyForeign(statSync(folder)) ?? (link.isSymbolicLink() ? whyForeign(link) : undefined)
  })
  if (!trouble) return
  throw new Failure(
    3,
    `The data folder ${folder} ${trouble}. Give another one with --data, or give --url and PAYTWIN_ADMIN_TOKEN.`,
  )
}

/** The url that the folder's daemon wrote down when it started; undefined when none runs there. */
function announcedUrl(folder: string): string | undefined {
  const file = join(folder, 'daemon.json')
  const text = readIfThere(file)
  if (text === null) return undefined
  try {
    return checkedUrl(String(JSON.parse(text).url))
  } catch {
    throw new Failure(
      3,
      `${file} does not say where the daemon is. Start it with 'paytwin serve', or give --url.`,
    )
  }
}

function givenToken(io: Pick<Io, 'env'>): string | undefined {
  const file = variable(io, 'PAYTWIN_ADMIN_TOKEN_FILE')
  const token = variable(io, 'PAYTWIN_ADMIN_TOKEN')
  if (token !== undefined || file === undefined) return token
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrongUsage(`The admin token file cannot be read: ${(error as Error).message}`)
  }
}

const folderToken = (folder: string): string | null => readIfThere(join(folder, 'admin-token'))

const readIfThere = (file: string): string | null => ifThere(() => readOwnFile(file))

/** Reads something of the data folder. @returns null when it is not there */
function ifThere<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Failure(3, `The data folder cannot be read: ${message}`)
  }
}

/** In one spelling, so that two can be compared. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw wrongUsage(`'${text}' is no address of a daemon: give one as in http://127.0.0.1:4242`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

function checkedToken(text: string): string {
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrongUsage('The admin token may only hold visible ASCII characters')
  return token
}
