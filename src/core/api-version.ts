import type { Dialect } from './dialect.ts'

/** Every dated version of the API, oldest first. See docs/contract/versions.md#dates. */
export const API_VERSIONS: readonly [string, ...string[]] = ['2026-03-09']

/** The version that a new merchant's requests use unless they name another. */
export const NEWEST_API_VERSION: string = API_VERSIONS.at(-1) ?? API_VERSIONS[0]

/**
 * The versions of Stripe's API that paytwin responds in. Databases store the index: append older versions at the end, and keep
 * the order of these.
 */
export const STRIPE_API_VERSIONS: readonly [string, ...string[]] = ['2026-10-28.endive']

/** Returns the versions of a dialect. @param own - those of paytwin's own API, oldest first */
export const versionsOf = (dialect: Dialect, own: readonly string[]): readonly string[] =>
  dialect === 'stripe' ? STRIPE_API_VERSIONS : own

/** Returns the version of a new merchant. @param own - those of paytwin's own API, oldest first */
export const newestVersionOf = (dialect: Dialect, own: readonly string[]): string =>
  (dialect === 'stripe' ? STRIPE_API_VERSIONS[0] : own.at(-1)) ?? ''
