import { randomToken } from '../engine/machine/ids.ts'
import { readSecretFile } from '../text/given-file.ts'
import { isVisibleAscii } from '../text/visible-ascii.ts'
import type { DataFolder } from './data-folder.ts'
import { isLoopback, type Place } from './listening.ts'
import { StartRefused } from './start-refused.ts'

const MIN_TOKEN_LENGTH = 32
/** The log masks the token with a pattern, which is not compiled in milliseconds if the token is longer. */
const MAX_TOKEN_LENGTH = 1_024
const TOKEN_LENGTH = 40

type Given = {
  readonly place: Pick<Place, 'host' | 'address'>
  readonly adminToken: string | null
  readonly adminTokenFile: string | null
  readonly generateAdminToken: boolean
}

/** The admin token, and how the ready line shows it. */
export type Token = {
  readonly value: string
  readonly shown: { readonly adminToken: string | null; readonly adminTokenFile: string | null }
}

/**
 * Returns the admin token: the given one, or else the data folder's, or else a new one. The ready line shows a new token if no
 * file has it, or if an option requested it, because another machine may need it.
 * @throws StartRefused if it is too short, too long, cannot be sent or cannot be read, or if none is given for a host beyond loopback
 * and none may be generated
 * See docs/contract/operator.md#admin-token.
 */
export async function adminTokenOf(
  { place, adminToken, adminTokenFile, generateAdminToken }: Given,
  folder: DataFolder | null,
): Promise<Token> {
  const given = adminToken ?? (adminTokenFile === null ? null : readToken(adminTokenFile))
  if (given !== null) {
    const flaw = flawOf(given)
    if (flaw !== undefined) throw new StartRefused(2, `The admin token ${flaw}`)
    return { value: given, shown: { adminToken: null, adminTokenFile } }
  }
  if (!isLoopback(place) && !generateAdminToken) {
    throw new StartRefused(
      2,
      `Listening on ${place.host} requires an admin token, because it is not localhost, 127.0.0.0/8 or ::1: set PAYTWIN_ADMIN_TOKEN, or give --admin-token-file or --generate-admin-token`,
    )
  }
  const generated = randomToken(TOKEN_LENGTH)
  if (!folder) return { value: generated, shown: { adminToken: generated, adminTokenFile: null } }
  const value = await folder.adminToken(() => generated)
  const flaw = flawOf(value)
  if (flaw !== undefined) {
    throw new StartRefused(
      1,
      `The admin token in ${folder.adminTokenFile} ${flaw}. Delete the file, and the next start creates a new token.`,
    )
  }
  const isNew = value === generated
  return {
    value,
    shown: {
      adminToken: generateAdminToken && isNew ? value : null,
      adminTokenFile: folder.adminTokenFile,
    },
  }
}

/** Returns why a token is invalid; undefined if it is valid. */
function flawOf(token: string): string | undefined {
  if (token.length < MIN_TOKEN_LENGTH || token.length > MAX_TOKEN_LENGTH)
    return `must have ${MIN_TOKEN_LENGTH} to ${MAX_TOKEN_LENGTH} characters, not ${token.length}`
  return isVisibleAscii(token) ? undefined : 'may only contain visible ASCII characters'
}

function readToken(file: string): string {
  try {
    return readSecretFile(file)
  } catch (error) {
    throw new StartRefused(2, `The admin token file cannot be read: ${(error as Error).message}`)
  }
}
