import { resourceMissing } from '../core/errors.ts'
import { type Kind, nounOf } from '../core/kinds.ts'
import type { View } from '../engine/history/view.ts'
import { isSameSecret } from '../engine/machine/digest.ts'
import type { Ids } from '../engine/machine/ids.ts'

const LENGTH = 24

/** Replaces the random part of a client_secret in a stored body. JSON text cannot contain this character. */
const PLACEHOLDER = '\u0001'

/** Computes the client_secret of an intent, or the secret of a portal session, from the seed. It is never stored. See docs/contract/requests.md#identifiers. */
export const clientSecretOf = (ids: Ids, id: string): string =>
  `${id}_secret_${ids.derived(`client secret ${id}`, LENGTH)}`

/**
 * Matches the fields of a body that show a secret: `client_secret` of an intent, and the `url` of a portal session. A text within a value
 * does not match, because its quotes are escaped, so that text of a merchant does not cost a digest for each match. A key of metadata can match,
 * once in each object.
 */
const SHOWN = new RegExp(
  `("client_secret":"|"url":"[^"]*/)((?:pi|seti|bps)_[A-Za-z0-9]+)_secret_[A-Za-z0-9]{${LENGTH}}(?=")`,
  'g',
)

/** Removes client secrets from a body before it is stored. See docs/contract/idempotency.md#secrets. */
export const withoutClientSecrets = (ids: Ids, text: string): string =>
  text.replaceAll(SHOWN, (found, before: string, id: string) =>
    found === `${before}${clientSecretOf(ids, id)}` ? `${before}${id}_secret_${PLACEHOLDER}` : found,
  )

/** Puts the client secrets back. The result is byte for byte the original body. */
export const withClientSecrets = (ids: Ids, text: string): string =>
  text.replaceAll(new RegExp(`((?:pi|seti|bps)_[A-Za-z0-9]+)_secret_${PLACEHOLDER}`, 'g'), (_, id: string) =>
    clientSecretOf(ids, id),
  )

/** Whether a secret is that of an object. */
export const isClientSecret = (ids: Ids, id: string, given: string): boolean =>
  isSameSecret(given, clientSecretOf(ids, id))

/**
 * Checks the client_secret of an intent.
 * @throws ApiError resource_missing, param id, if it is missing or wrong
 * See docs/contract/authentication.md#publishable-keys.
 */
export function checkClientSecret(
  { ids }: View,
  { kind, id, given = '' }: { kind: Kind; id: string; given: string | undefined },
): void {
  if (!isClientSecret(ids, id, given)) throw resourceMissing(nounOf(kind), id)
}
