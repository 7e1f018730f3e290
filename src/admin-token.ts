import { readFileSync } from 'node:fs'
import type { DataFolder } from './data-folder.ts'
import { randomToken } from './engine/ids.ts'
import { StartRefused } from './start-refused.ts'

const MIN_TOKEN_LENGTH = 32
const TOKEN_LENGTH = 40
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/

/** Whether a host can be reached from this machine alone. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

type Given = {
  readonly host: string
  readonly adminToken: string | null
  readonly adminTokenFile: string | null
}

/** The admin token, and what the ready line says of it. */
export type Token = {
  readonly value: string
  readonly shown: { readonly adminToken: string | null; readonly adminTokenFile: string | null }
}

/**
 * The admin token: the one that is given, else the data folder's, else a new one that only the ready line tells.
 * @throws StartRefused when it is too short or cannot be read, or there is none to listen beyond this machine with
 * See docs/contract/operator.md#admin-token.
 */
export function adminTokenOf({ host, adminToken, adminTokenFile }: Given, folder: DataFolder | null): Token {
  const given = adminToken ?? (adminTokenFile === null ? null : readToken(adminTokenFile))
  if (given !== null) {
    if (given.length < MIN_TOKEN_LENGTH) {
      throw new StartRefused(2, `The admin token must have at least ${MIN_TOKEN_LENGTH} characters`)
    }
    return { value: given, shown: { adminToken: null, adminTokenFile } }
  }
  if (!isLoopback(host)) {
    throw new StartRefused(
      2,
      `To listen on ${host}, beyond this machine, give an admin token: PAYTWIN_ADMIN_TOKEN or --admin-token-file`,
    )
  }
  if (!folder) {
    const value = randomToken(TOKEN_LENGTH)
    return { value, shown: { adminToken: value, adminTokenFile: null } }
  }
  const value = folder.adminToken(() => randomToken(TOKEN_LENGTH))
  if (value.length < MIN_TOKEN_LENGTH) {
    throw new StartRefused(
      1,
      `${folder.adminTokenFile} holds no admin token of at least ${MIN_TOKEN_LENGTH} characters. Delete it, and the next start makes a new one.`,
    )
  }
  return { value, shown: { adminToken: null, adminTokenFile: folder.adminTokenFile } }
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartRefused(2, `The admin token file cannot be read: ${(error as Error).message}`)
  }
}
