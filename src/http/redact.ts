import { holdsSecret, percentDecoded } from '../text/secret.ts'

const REDACTED = '[redacted]'
/** paytwin: no path of the API is as long; what is noted stays small. */
const MAX_LENGTH = 500

/** Parameters whose values are secrets, be they nested. */
const SECRET_NAME = /secret|token|password|verifier|authorization|api[-_]?key|(?:^|\[)(?:key|code)(?:$|\])/i

/**
 * The path and query of a request without what opens anything: values of parameters that hold secrets, and everything that
 * looks like a key or a client_secret, percent-encoded or not.
 * See docs/contract/operator.md#request-log.
 */
export function redacted(target: string): string {
  const isPlain = !/[?%]/.test(target) && !holdsSecret(target)
  const clean = isPlain ? target : withoutSecrets(target)
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean
}

function withoutSecrets(target: string): string {
  const [path = '', ...query] = target.split('?')
  const clean = cutBehindBase64(path.split('/')).map((part) =>
    holdsSecret(percentDecoded(part)) ? REDACTED : part,
  )
  if (query.length === 0) return clean.join('/')
  const pairs = query.join('?').split('&').map(withoutSecret)
  return `${clean.join('/')}?${pairs.join('&')}`
}

/** The parts of a path up to the first with a secret of a webhook endpoint: that is base64, so slashes may belong to it. */
function cutBehindBase64(parts: string[]): string[] {
  const at = parts.findIndex((part) => percentDecoded(part).includes('whsec_'))
  return at === -1 ? parts : parts.slice(0, at + 1)
}

function withoutSecret(pair: string): string {
  const [name = '', ...value] = pair.split('=')
  if (holdsSecret(percentDecoded(name))) return REDACTED
  const isSecret = SECRET_NAME.test(percentDecoded(name)) || holdsSecret(percentDecoded(value.join('=')))
  return isSecret && value.length > 0 ? `${name}=${REDACTED}` : pair
}
