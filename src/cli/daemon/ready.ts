import type { Daemon } from '../../daemon/daemon.ts'
import { escapeControls, toJson } from '../../text/display.ts'
import { VERSION } from '../commands/version.ts'
import type { Io } from '../io.ts'

/** The report of a successful start. */
export type Ready = Omit<Daemon, 'ended' | 'close' | 'crashed'>

/** The report of a successful start with the daemon's process ID. It can be sent between processes. */
export type Announcement = { readonly ready: Ready; readonly pid: number }

export const announcementOf = (
  { url, clock, data, merchant, secretKey, adminToken, adminTokenFile, dashboard, fixtureSecrets }: Ready,
  pid: number,
): Announcement => ({
  ready: { url, clock, data, merchant, secretKey, adminToken, adminTokenFile, dashboard, fixtureSecrets },
  pid,
})

/**
 * Prints that a daemon is ready: one line on stdout. First steps follow it on a terminal, and otherwise go to stderr.
 * @param furtherSteps - further lines to print after the first request
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
  stdout.write(`${escapeControls(readyLine(ready, VERSION))}\n`)
  const aside = stdout.isTTY ? stdout : stderr
  for (const line of [...firstSteps(ready), ...furtherSteps]) aside.write(`${escapeControls(line)}\n`)
}

/** Formats the ready line. See docs/contract/operator.md#ready-line. */
export const readyLine = ({ url, clock, data }: Ready, version: string): string =>
  `paytwin ${version} ready on ${url} (clock ${clock}, data ${data ?? 'in memory'})`

/** Returns the ready line's JSON object; it has secrets only if this start generated them. See docs/contract/operator.md#ready-line. */
export const readyObject = (
  { url, merchant, secretKey, adminToken, adminTokenFile, dashboard, fixtureSecrets }: Ready,
  { version, pid }: { version: string; pid: number },
) => ({
  event: 'ready',
  url,
  version,
  pid,
  merchant,
  dashboard,
  ...(secretKey !== null && { secret_key: secretKey }),
  ...(adminTokenFile !== null && { admin_token_file: adminTokenFile }),
  ...(adminToken !== null && { admin_token: adminToken }),
  ...(fixtureSecrets.length > 0 && { fixture_secrets: fixtureSecrets }),
})

/** Lists the generated secrets and a first request. A later start explains where to get a key instead. */
export function firstSteps({ url, secretKey, adminToken, dashboard, fixtureSecrets }: Ready): string[] {
  return [
    ...(secretKey === null
      ? [
          "Use the key given with --secret-key or shown at the first start, or create another with 'paytwin keys create'.",
        ]
      : [`Secret key (shown only once): ${secretKey}`]),
    ...(adminToken === null ? [] : [`Admin token (shown only once): ${adminToken}`]),
    ...fixtureSecrets.map(
      ({ object, ref, id, secret }) =>
        `Secret of the ${object.replaceAll('_', ' ')}${ref === null ? '' : ` '${ref}'`} ${id} (shown only once): ${secret}`,
    ),
    ...(secretKey === null
      ? []
      : ['Send the first request:', `  curl ${url}/v1/customers -u ${secretKey}: -d email=ada@example.com`]),
    `Dashboard (the link works once; 'paytwin open' makes another): ${dashboard}`,
    `API reference: ${url}/docs`,
  ]
}
