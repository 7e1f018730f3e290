import type { Ids } from '../engine/ids.ts'

const LENGTH = 24

/** What stands for the random part of a client_secret in a body that is kept: JSON text holds no such character. */
const LEFT_OUT = '\u0001'

/** The client_secret of an intent. It is never stored: it follows from the seed. See docs/contract/requests.md#identifiers. */
export const clientSecretOf = (ids: Ids, id: string): string =>
  `${id}_secret_${ids.derived(`client secret ${id}`, LENGTH)}`

/** The text of a body as it may be stored: without client secrets. See docs/contract/idempotency.md#secrets. */
export const withoutClientSecrets = (ids: Ids, text: string): string =>
  text.replaceAll(/(pi_[A-Za-z0-9]+)_secret_[A-Za-z0-9]+/g, (found, id: string) =>
    found === clientSecretOf(ids, id) ? `${id}_secret_${LEFT_OUT}` : found,
  )

/** The same text with them: byte for byte what it was. */
export const withClientSecrets = (ids: Ids, text: string): string =>
  text.replaceAll(new RegExp(`(pi_[A-Za-z0-9]+)_secret_${LEFT_OUT}`, 'g'), (_, id: string) =>
    clientSecretOf(ids, id),
  )
