/**
 * Returns the value of a cookie; undefined if the request has none of this name. It is not decoded: paytwin's cookies need no encoding,
 * and hono decodes each part of a value that cannot be decoded separately, which takes 30 ms for the longest one.
 */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}
