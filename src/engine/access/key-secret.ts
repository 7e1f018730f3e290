import type { KeyRow } from '../../store/tables.ts'
import { digest } from '../machine/digest.ts'

/** The prefixes of keys. A restricted key has all permissions of a secret key. */
const TYPES = { sk_test_: 'secret', rk_test_: 'secret', pk_test_: 'publishable' } as const
export const KEY_PATTERN = /^(sk|rk|pk)_test_[A-Za-z0-9_-]{1,200}$/
const KEY_FORM = "1 to 200 letters, digits, '_' or '-'"

/** The stored parts of a key's secret. */
export type HashedSecret = {
  readonly type: KeyRow['type']
  /** SHA-256, in hexadecimal digits. */
  readonly hash: string
  readonly hint: string
}

/** Returns the type of a secret with the form of a key; undefined for other texts. */
export const typeOfSecret = (secret: string): KeyRow['type'] | undefined =>
  KEY_PATTERN.test(secret) ? TYPES[secret.slice(0, 8) as keyof typeof TYPES] : undefined

/**
 * Hashes a secret chosen beforehand; undefined when it does not have the form of a key.
 * See docs/contract/authentication.md#secret-keys.
 */
export function hashSecret(secret: string): HashedSecret | undefined {
  const type = typeOfSecret(secret)
  return type && { type, hash: digest(secret).toString('hex'), hint: hintOfSecret(secret) ?? '' }
}

/** Explains why a text is not a key of a type, or of any type. It does not repeat the text. */
export function keyMistake(secret: unknown, type?: KeyRow['type']): string {
  if (typeof secret === 'string' && /^[a-z]k_live_/.test(secret))
    return 'live keys are refused, because paytwin is a sandbox: give a test key, such as sk_test_123'
  const prefixes = Object.entries(TYPES).flatMap(([prefix, of]) =>
    type === undefined || type === of ? prefix : [],
  )
  return `expected ${prefixes.join(', ').replace(/, (?=\w+$)/, ' or ')} and ${KEY_FORM}`
}

/** A shorter secret can be guessed, and its last characters reveal too much of it. */
const MIN_LENGTH = 24

/** Returns the prefix of a key or token, and its last four characters unless it is short; undefined for other texts. */
export function hintOfSecret(secret: string): string | undefined {
  const [, prefix, suffix = ''] = /^([a-z]{2,3}_(?:test|live)_)(\S+)$/.exec(secret) ?? []
  return prefix && `${prefix}…${suffix.length < MIN_LENGTH ? '' : suffix.slice(-4)}`
}

/** Reports whether a stored key is so short that it can be guessed: its hint shows none of its characters. */
export const isShort = ({ hint }: Pick<KeyRow, 'hint'>): boolean => hint.endsWith('…')
