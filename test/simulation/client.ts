import type { Sandbox } from '../../src/sandbox.ts'
import type { Body } from '../twin.ts'

export type Answer = { readonly status: number; readonly body: Body; readonly text: string }

/** Speaks to a sandbox in this process, without a socket and without checking answers against their description. */
export async function ask(
  sandbox: Sandbox,
  {
    method,
    path,
    token,
    body,
    idempotencyKey,
  }: {
    method: string
    path: string
    token: string
    body?: string | undefined
    idempotencyKey?: string | undefined
  },
): Promise<Answer> {
  const response = await sandbox.app.request(path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      Host: 'localhost',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text), text }
}
