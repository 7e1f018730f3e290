import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a daemon is asked in order to prove that it knows a token: a number that nobody has seen before. */
export const newNonce = (): string => randomBytes(16).toString('hex')

/**
 * Whether an answer proves that who gave it knows the admin token and listens at this very url. Nobody learns the token by that,
 * and nobody can pass on what another daemon has answered.
 * @param url - where it was asked
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
