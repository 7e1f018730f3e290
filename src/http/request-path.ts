import { getPath } from 'hono/utils/url'

/**
 * Returns the path of a request, decoded as hono does. One that cannot be decoded is taken literally: hono would decode each of its parts
 * separately, which takes some 10 µs for each that fails, and so 100 ms for the longest path.
 */
export function pathOf(request: Request): string {
  const { url } = request
  // Most have nothing to decode.
  if (!url.includes('%')) return getPath(request)
  const path = encodedPathOf(url)
  return isEncoded(path) ? getPath(request) : path.replaceAll('%', '%25')
}

/** Returns the part of an absolute URL from its path on, without the query. */
function encodedPathOf(url: string): string {
  const rest = url.slice(url.indexOf('/', url.indexOf('://') + 3))
  const end = rest.search(/[?#]/)
  return end === -1 ? rest : rest.slice(0, end)
}

/** Whether a text has only valid percent encodings. */
function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
