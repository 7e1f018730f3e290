/** paytwin: the maximum length of the part of a URL that names its host, with a user and a port. A name has at most 253 characters. */
export const MAX_AUTHORITY = 512

/** The schemes whose hosts the URL parser converts: in a time that grows with the square of their length. */
const WITH_HOST = /^(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)/i

/**
 * Parses an absolute URL that a client gives, however long it is.
 * @returns undefined if the text is not an absolute URL, or its host is too long
 */
export function parseUrl(text: string): URL | undefined {
  // The parser leaves out the same characters.
  const plain = text.replace(/^[\0-\x20]+|[\t\n\r]+/g, '')
  const authority = WITH_HOST.exec(plain)?.[1] ?? ''
  return authority.length <= MAX_AUTHORITY && URL.canParse(text) ? new URL(text) : undefined
}
