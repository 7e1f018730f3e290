import { holdsSecret, percentDecoded } from '../text/secret.ts'

const REDACTED = '[redacted]'
/** paytwin: longer than every path of the API. Limits the size of the request log. */
const MAX_LENGTH = 500

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
  const isPlain = !/[?%]/.test(target) && !isSecret(target)
  const clean = isPlain ? target : withoutSecrets(target)
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean
}

function withoutSecrets(target: string): string {
  const [path = '', ...query] = target.split('?')
  const clean = cutBehindBase64(path.split('/')).map((part) =>
    isSecret(percentDecoded(part)) ? REDACTED : part,
  )
  if (query.length === 0) return clean.join('/')
  const pairs = query.join('?').split('&').map(withoutSecret)
  return `${clean.join('/')}?${pairs.join('&')}`
}

/** Cuts a path after the first part with a webhook secret, which is base64 and can contain slashes. */
function cutBehindBase64(parts: string[]): string[] {
  const at = parts.findIndex((part) => percentDecoded(part).includes('whsec_'))
  return at === -1 ? parts : parts.slice(0, at + 1)
}

function withoutSecret(pair: string): string {
  const [name = '', ...value] = pair.split('=')
  if (isSecret(percentDecoded(name))) return REDACTED
  const isHidden = SECRET_NAME.test(percentDecoded(name)) || isSecret(percentDecoded(value.join('=')))
  return isHidden && value.length > 0 ? `${name}=${REDACTED}` : pair
}
