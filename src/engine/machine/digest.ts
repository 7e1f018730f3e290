import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Hashes a secret, code or token with SHA-256; only the digest is stored. Secrets are random and long, so they need no
 * salt. Digests have the same length, so they can be compared in constant time.
 */
export const digest = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Compares two secrets, keys or tokens in constant time. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digest(given), digest(expected))
