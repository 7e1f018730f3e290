import type { Sandbox } from '../../src/daemon/sandbox.ts'
import type { Body } from '../twin.ts'
import { Failure } from './failure.ts'

export type TwinResponse = { readonly status: number; readonly body: Body; readonly text: string }

export type Asked = {
  readonly method: string
  readonly path: string
  readonly token: string
  readonly body?: string | undefined
  readonly idempotencyKey?: string | undefined
}

/** A client of a sandbox in this process, without a socket and without checks against the description. */
export async function ask(
  sandbox: Sandbox,
  { method, path, token, body, idempotencyKey }: Asked,
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
  return new ParsedLater(response.status, text)
}

/** A response that is parsed when its body is read. */
export class ParsedLater implements TwinResponse {
  readonly status: number
  readonly text: string
  #body: Body | undefined

  constructor(status: number, text: string) {
    this.status = status
    this.text = text
  }

  get body(): Body {
    this.#body ??= JSON.parse(this.text) as Body
    return this.#body
  }
}

type Get = (path: string) => Promise<TwinResponse>

/** All entries of a list, oldest first. @param path - ends in `?` or `&` */
export async function listAll(get: Get, path: string): Promise<Body[]> {
  return (await listPages(get, path)).flatMap(({ body }) => body.data as Body[]).reverse()
}

/** All pages of a list, newest entries first. @param path - ends in `?` or `&` */
export async function listPages(get: Get, path: string): Promise<TwinResponse[]> {
  const pages: TwinResponse[] = []
  for (let cursor = ''; ; ) {
    const page = await get(`${path}limit=100${cursor}`)
    if (page.status !== 200) throw new Failure('list', `${path}: ${page.status} ${page.text}`)
    pages.push(page)
    if (!page.text.includes('"has_more":true') || !page.body.has_more) return pages
    cursor = `&starting_after=${page.body.data.at(-1)?.id}`
  }
}
