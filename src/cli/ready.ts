import type { Daemon } from '../daemon.ts'
import { toJson, visible } from '../text/display.ts'
import type { Io } from './io.ts'
import { VERSION } from './version.ts'

/** What a start has to tell. */
export type Ready = Omit<Daemon, 'ended' | 'close' | 'crashed'>

/** What a start has to tell, and of which process: it can be sent from one to another. */
export type Announcement = { readonly ready: Ready; readonly pid: number }

export const whatIsReady = (
  { url, clock, data, merchant, secretKey, adminToken, adminTokenFile, fixtureSecrets }: Ready,
  pid: number,
): Announcement => ({
  ready: { url, clock, data, merchant, secretKey, adminToken, adminTokenFile, fixtureSecrets },
  pid,
})

/**
 * Says that a daemon is ready: one line on stdout; what a person needs besides goes below it on a terminal, else to stderr.
 * @param furtherSteps - what a person should know beside the first request
 */
export function announce(
  { ready, pid }: Announcement,
  { stdout, stderr }: Io,
  { json }: { readonly json: boolean },
  furtherSteps: readonly string[] = [],
): void {
  if (json) {
    stdout.write(`${toJson(readyObject(ready, { version: VERSION, pid }))}\n`)
    return
  }
  stdout.write(`${visible(readyLine(ready, VERSION))}\n`)
  const aside = stdout.isTTY ? stdout : stderr
  for (const line of [...firstSteps(ready), ...furtherSteps]) aside.write(`${visible(line)}\n`)
}

/** The line that says that connections are accepted. See docs/contract/operator.md#ready-line. */
export const readyLine = ({ url, clock, data }: Ready, version: string): string =>
  `paytwin ${version} ready on ${url} (clock ${clock}, data ${data ?? 'in memory'})`

/** The same for programs; secrets only when this start made them. See docs/contract/operator.md#ready-line. */
export const readyObject = (
  { url, merchant, secretKey, adminToken, adminTokenFile, fixtureSecrets }: Ready,
  { version, pid }: { version: string; pid: number },
) => ({
  event: 'ready',
  url,
  version,
  pid,
  merchant,
  ...(secretKey !== null && { secret_key: secretKey }),
  ...(adminTokenFile !== null && { admin_token_file: adminTokenFile }),
  ...(adminToken !== null && { admin_token: adminToken }),
  ...(fixtureSecrets.length > 0 && { fixture_secrets: fixtureSecrets }),
})

/** The secrets that are shown only now, with how to make the first request; later starts are told where the key is. */
export function firstSteps({ url, secretKey, adminToken, fixtureSecrets }: Ready): string[] {
  return [
    ...(secretKey === null
      ? [
          "Requests need the secret key that was chosen, or shown at the first start; 'paytwin keys create' makes another.",
        ]
      : [`Secret key (shown only now): ${secretKey}`]),
    ...(adminToken === null ? [] : [`Admin token (shown only now): ${adminToken}`]),
    ...fixtureSecrets.map(
      ({ object, ref, id, secret }) =>
        `Secret of the ${object.replaceAll('_', ' ')}${ref === null ? '' : ` '${ref}'`} ${id} (shown only now): ${secret}`,
    ),
    ...(secretKey === null
      ? []
      : ['Make the first request:', `  curl ${url}/v1/customers -u ${secretKey}: -d email=ada@example.com`]),
    `Every route is explained at ${url}/docs`,
  ]
}
