import { getPath } from 'hono/utils/url'

/**
 * Returns the path of a request, decoded as hono does. One that cannot be decoded is taken literally: hono would decode each of its parts
 * separately, which takes some 10 µs for each that fails, and so 100 ms for the longest path.
 */
export function pathOf(request: Request): string {
  const path = encodedPathOf(request.url)
  return isEncoded(path) ? getPath(request) : path.replaceAll('%', '%25')
}

/** Returns the part of an absolute URL from its path on, without the query. */
function encodedPathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  const end = url.slice(start).search(/[?#]/)
  return end === -1 ? url.slice(start) : url.slice(start, start + end)
}

/** Whether a text has only valid percent encodings. */
function isEncoded(text: string): boolean {
  if (!text.includes('%')) return true
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
