import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates a random nonce, which a daemon signs to prove that it knows the admin token. */
export const newNonce = (): string => randomBytes(16).toString('hex')

/**
 * Reports whether a proof was made with the admin token, for this url and nonce. The proof does not reveal the token. A proof
 * of another daemon cannot be passed on, because it covers the url.
 * @param url - the url to which the nonce was sent
 * See docs/contract/command-line.md#finding-the-daemon; the daemon's side is `proofOf` in http/admin/guard.ts.
 */
export function isProof(
  proof: unknown,
  { url, token, nonce }: { readonly url: string; readonly token: string; readonly nonce: string },
): boolean {
  const expected = createHmac('sha256', token)
    .update(`${new URL(url).origin} ${nonce}`)
    .digest()
  const given = Buffer.from(typeof proof === 'string' ? proof : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
