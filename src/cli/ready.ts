import type { Daemon } from '../daemon.ts'

type Ready = Omit<Daemon, 'close'>

/** The line that says that connections are accepted. Source: operator.md, Daemon. */
export const readyLine = ({ url, clock, data }: Ready, version: string): string =>
  `paytwin ${version} ready on ${url} (clock ${clock}, data ${data ?? 'in memory'})`

/** The same for programs; secrets only when this start made them. Source: operator.md, Daemon. */
export const readyObject = (
  { url, merchant, secretKey, adminToken, adminTokenFile }: Ready,
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
})

/** How to make the first request, with the secrets that are shown only now. */
export function firstSteps({ url, secretKey, adminToken }: Ready): string[] {
  const key = secretKey ?? 'sk_test_…'
  return [
    ...(secretKey === null
      ? ["Requests need a secret key; its holder has it, and 'paytwin keys create' makes another."]
      : [`Secret key (shown only now): ${secretKey}`]),
    ...(adminToken === null ? [] : [`Admin token (shown only now): ${adminToken}`]),
    'Make the first request:',
    `  curl ${url}/v1/customers -u ${key}: -d email=ada@example.com`,
  ]
}
