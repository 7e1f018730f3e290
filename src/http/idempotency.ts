import { createHash } from 'node:crypto'
import { idempotencyKeyReuse, parameterInvalid } from '../core/errors.ts'
import type { Entry, StoredResponse } from '../engine/access/idempotency.ts'
import type { Ids } from '../engine/machine/ids.ts'
import { withClientSecrets, withoutClientSecrets } from './client-secret.ts'
import type { Raw } from './form.ts'
import { MAX_BODY_BYTES } from './request.ts'
import { type Rendered, textOf } from './respond.ts'
import type { HttpServices } from './services.ts'

/** The entry of an idempotency key: the stored response, or the place to store one. */
export type IdempotentEntry = Entry & { readonly fingerprint: string }

/**
 * Opens the entry of a request's Idempotency-Key; undefined without one. Waits while another request has the same key.
 * @param request.checkCredentials - checks the credentials after the wait, before the entry reveals anything
 * @throws ApiError parameter_invalid, param Idempotency-Key; the errors of checkCredentials; idempotency_key_reuse if the parameters differ from the first time
 * See docs/contract/idempotency.md#fingerprint.
 */
export async function openEntry(
  { idempotency, engine }: Pick<HttpServices, 'idempotency' | 'engine'>,
  request: {
    scope: string
    /** The merchant whose turn it takes to read a response. */
    owner: object
    key: string | undefined
    method: string
    path: string
    raw: Raw
    checkCredentials: () => void
  },
): Promise<IdempotentEntry | undefined> {
  const { scope, owner, key, method, path, raw, checkCredentials } = request
  if (key === undefined || method === 'GET') return undefined
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw parameterInvalid(
      'Idempotency-Key',
      'An idempotency key must have 1 to 255 printable ASCII characters',
    )
  }
  const fingerprint = fingerprintOf(`${method} ${path}`, raw)
  const entry = await idempotency.acquire({ scope, key, owner })
  try {
    checkCredentials()
    if (entry.stored && entry.stored.fingerprint !== fingerprint) throw idempotencyKeyReuse()
    return { ...withoutSecrets(entry, engine.ids), fingerprint }
  } catch (error) {
    entry.release()
    throw error
  }
}

/** Wraps an entry so that client secrets are not stored. See docs/contract/idempotency.md#secrets. */
const withoutSecrets = (entry: Entry, ids: Ids): Entry => ({
  ...entry,
  stored: entry.stored && { ...entry.stored, body: withClientSecrets(ids, entry.stored.body) },
  store: (response) => entry.store({ ...response, body: withoutClientSecrets(ids, response.body) }),
})

/** Returns whether a response is stored for a replay: a success or a failed payment. */
export const isStored = ({ status }: Pick<StoredResponse, 'status'>): boolean =>
  status < 300 || status === 402

/** Replaces the secret in a stored response, because a replay must not contain it. See docs/contract/idempotency.md#secrets. */
const MASKED_SECRET = 'whsec_…'

/**
 * paytwin: the maximum length of a stored response, in characters: twice that of a request. With expansions, a short request could
 * otherwise store any amount.
 */
const MAX_STORED_LENGTH = 2 * MAX_BODY_BYTES

/**
 * Stores a response for a replay. Must be called within the transaction that writes what the response reports.
 * @throws ApiError parameter_invalid, param expand or Idempotency-Key, for a response that is too long to be stored
 * See docs/contract/idempotency.md#stored-responses.
 */
export function storeResponse(
  entry: IdempotentEntry,
  { status, text, body }: Rendered,
  { version, expands }: { readonly version: string; readonly expands: readonly string[] },
): void {
  checkLength(text, expands.length > 0)
  const hasSecret = body !== undefined && 'secret' in body
  entry.store({
    fingerprint: entry.fingerprint,
    status,
    api_version: version,
    body: hasSecret ? textOf({ ...body, secret: MASKED_SECRET }) : text,
  })
}

function checkLength({ length }: string, isExpanded: boolean): void {
  if (length <= MAX_STORED_LENGTH) return
  const limit = `The response would have more than ${MAX_STORED_LENGTH / 2 ** 20} MiB, the most that is stored for an idempotency key`
  throw isExpanded
    ? parameterInvalid('expand', `${limit}. Expand fewer paths, or send the request without a key`)
    : parameterInvalid('Idempotency-Key', `${limit}. Send the request without a key`)
}

/** Computes the fingerprint of a request. A JSON and a form request with the same values have the same one. */
const fingerprintOf = (route: string, raw: Raw): string =>
  createHash('sha256')
    .update(`${route}\n${canonical(raw)}`)
    .digest('base64')

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(String(value ?? ''))
  const names = Object.keys(value).sort()
  const pairs = names.map((name) => `${JSON.stringify(name)}:${canonical(Reflect.get(value, name))}`)
  return `{${pairs.join(',')}}`
}
