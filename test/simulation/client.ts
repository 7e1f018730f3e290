import type { Sandbox } from '../../src/daemon/sandbox.ts'
import type { Body } from '../twin.ts'
import { Failure } from './failure.ts'

export type TwinResponse = { readonly status: number; readonly body: Body; readonly text: string }

/** A client of a sandbox in this process, without a socket and without checks against the description. */
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
): Promise<TwinResponse> {
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

/** All entries of a list, oldest first. @param path - ends in `?` or `&` */
export async function listAll(get: (path: string) => Promise<TwinResponse>, path: string): Promise<Body[]> {
  const all: Body[] = []
  for (let cursor = ''; ; cursor = `&starting_after=${all.at(-1)?.id}`) {
    const { status, body, text } = await get(`${path}limit=100${cursor}`)
    if (status !== 200) throw new Failure('list', `${path}: ${status} ${text}`)
    all.push(...body.data)
    if (!body.has_more) return all.reverse()
  }
}
