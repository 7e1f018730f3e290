import { version } from '../package.json'
import type { OpenApi } from './http/openapi.ts'
import { openSandbox } from './sandbox.ts'

/** Returns the OpenAPI document of a daemon at the default address. */
export async function apiDescription(): Promise<OpenApi> {
  const sandbox = await openSandbox({ database: ':memory:', version, url: () => 'http://127.0.0.1:4242' })
  const response = await sandbox.app.request('/openapi.json', { headers: { Host: 'localhost' } })
  const description = (await response.json()) as OpenApi
  await sandbox.close()
  if (!response.ok) throw new Error(`/openapi.json failed: ${JSON.stringify(description)}`)
  return description
}
