import { beginningOf } from '../text/beginning.ts'
import { holdsSecret, maskSecrets, percentDecoded } from '../text/secret.ts'
import type { Raw } from './form.ts'

const REDACTED = '[redacted]'
/** paytwin: longer than every path of the API. Limits the size of the request log. */
const MAX_LENGTH = 500
/** paytwin: longer than every secret, also an encoded one. */
export const LONGEST_SECRET = 200
/** The length of a part that is examined: what is shown of it, and the whole secret that may begin there. */
const EXAMINED = MAX_LENGTH + LONGEST_SECRET

/** Parameters whose values are secrets, also if nested. */
const SECRET_NAME =
  /secret|token|password|verifier|authorization|api[-_]?key|(?:^|\[)(?:key|code)(?:$|[[\]])|\[(?:number|cvc)\]/i

/** Matches texts that look like a card number, also with spaces or hyphens between the digits. */
const CARD_NUMBER = /(?<![A-Za-z0-9_])[2-6]\d{3}(?:[ +-]?\d){9,15}(?![A-Za-z0-9])/

const isSecret = (text: string): boolean => holdsSecret(text) || CARD_NUMBER.test(text)

/**
 * Removes secrets from the path and query of a request: values of secret parameters, and everything that looks like a key, a
 * client_secret or the number of a card, percent-encoded or not.
 * See docs/contract/operator.md#request-log.
 */
export function redacted(target: string): string {
  const isPlain = target.length <= MAX_LENGTH && !/[?%]/.test(target) && !isSecret(target)
  const clean = isPlain ? target : withoutSecrets(target)
  return clean.length > MAX_LENGTH ? `${beginningOf(clean, MAX_LENGTH)}…` : clean
}

function withoutSecrets(target: string): string {
  const query = target.indexOf('?')
  const path = cleaned(query === -1 ? target : target.slice(0, query), '/', withoutSecretPart)
  if (query === -1 || path.length > MAX_LENGTH) return path
  return `${path}?${cleaned(target.slice(query + 1), '&', withoutSecret)}`
}

/** Cleans the parts of a text, but no more than are shown: of a long text most are not. @param clean - null ends the text */
function cleaned(text: string, separator: string, clean: (part: string) => string | null): string {
  let shown = ''
  for (const part of text.split(separator, MAX_LENGTH + 2)) {
    const next = clean(part.slice(0, EXAMINED))
    if (next === null) return `${shown}${REDACTED}`
    shown += `${next}${separator}`
    if (shown.length > MAX_LENGTH + 1) break
  }
  return shown.slice(0, -1)
}

/** Redacts a part of a path, and ends it at a webhook secret, which is base64 and can contain slashes. */
function withoutSecretPart(part: string): string | null {
  const decoded = percentDecoded(part)
  if (decoded.includes('whsec_')) return null
  return isSecret(decoded) ? REDACTED : part
}

function withoutSecret(pair: string): string {
  const [name = '', ...value] = pair.split('=')
  const decoded = percentDecoded(name)
  if (isSecret(decoded)) return REDACTED
  const isHidden = SECRET_NAME.test(decoded) || isSecret(percentDecoded(value.join('=')))
  return isHidden && value.length > 0 ? `${name}=${REDACTED}` : pair
}

/** The numbers of cards in a text. */
const CARD_NUMBERS = new RegExp(CARD_NUMBER, 'g')

/** Masks all parts of a text, such as the body of a response, that look like a key, a token, a client_secret or a card number. */
export const redactedText = (text: string): string => maskSecrets(text).replace(CARD_NUMBERS, REDACTED)

/** The copied parameters as JSON, and whether some did not fit. */
type RedactedParams = { readonly text: string; readonly isCut: boolean }

/**
 * Copies the parameters of a body as JSON, which takes less memory than objects, and without secrets: values of secret parameters,
 * and everything that looks like a key, a client_secret or the number of a card.
 * @param room - the maximum length of the names and values in characters, with two for each nested list or object and without the
 * escapes of JSON; the first ones that fit are copied
 */
export function redactedParams(raw: Raw, room: number): RedactedParams {
  const left = { length: room, isCut: false }
  return { text: copied(raw, left, true), isCut: left.isCut }
}

type Left = { length: number; isCut: boolean }

function copied(value: unknown, left: Left, isTop = false): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(copiedScalar(value, left))
  left.length -= isTop ? 0 : 2
  if (Array.isArray(value))
    return `[${value.flatMap((entry) => (hasRoom(left) ? [copied(entry, left)] : [])).join(',')}]`
  const pairs: string[] = []
  for (const name of Object.keys(value)) {
    left.length -= name.length + 1
    if (!hasRoom(left)) break
    pairs.push(copiedPair(name, Reflect.get(value, name), left, isTop))
  }
  return `{${pairs.join(',')}}`
}

function copiedPair(name: string, child: unknown, left: Left, isTop: boolean): string {
  if (isSecret(percentDecoded(name))) return `"${REDACTED}":"${REDACTED}"`
  const shown = SECRET_NAME.test(isTop ? name : `[${name}]`) ? `"${REDACTED}"` : copied(child, left)
  return `${JSON.stringify(name)}:${shown}`
}

function hasRoom(left: Left): boolean {
  if (left.length <= 0) left.isCut = true
  return left.length > 0
}

function copiedScalar(value: unknown, left: Left): unknown {
  const text = String(value)
  const isLong = text.length > left.length
  const shown = isLong ? text.slice(0, Math.max(left.length, 0)) : text
  left.length -= shown.length
  if (isSecret(percentDecoded(shown))) return REDACTED
  if (!isLong) return value
  left.isCut = true
  return `${beginningOf(text, shown.length)}…`
}
