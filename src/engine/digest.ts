import { hash } from 'node:crypto'

/**
 * SHA-256: all that is kept of a secret, a code or a token. They are random and long, so that it needs no salt. Digests are
 * all of one length, so that what somebody sent can be compared in constant time.
 */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')
