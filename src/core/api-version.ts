import type { Dialect } from './dialect.ts'
import { parameterInvalid } from './errors.ts'

/** Every dated version of the API, oldest first. See docs/contract/versions.md#dates. */
export const API_VERSIONS: readonly [string, ...string[]] = ['2026-03-09']

/** The version that a new merchant's requests use unless they name another. */
export const NEWEST_API_VERSION: string = API_VERSIONS.at(-1) ?? API_VERSIONS[0]

/**
 * The supported versions of Stripe's API, the version of new merchants first. Databases store the index: append other
 * versions at the end, and keep the order of these.
 */
export const STRIPE_API_VERSIONS: readonly [string, ...string[]] = [
  '2026-10-28.endive',
  '2026-09-30.endive',
  '2026-08-26.dahlia',
  '2026-07-29.dahlia',
  '2026-06-24.dahlia',
  '2026-05-27.dahlia',
  '2026-04-22.dahlia',
  '2026-03-25.dahlia',
  '2026-02-25.clover',
  '2026-01-28.clover',
  '2025-12-15.clover',
  '2025-11-17.clover',
  '2025-10-29.clover',
  '2025-09-30.clover',
  '2025-08-27.basil',
  '2025-07-30.basil',
  '2025-06-30.basil',
  '2025-05-28.basil',
  '2025-04-30.basil',
  '2025-03-31.basil',
  '2025-02-24.acacia',
  '2025-01-27.acacia',
  '2024-12-18.acacia',
  '2024-11-20.acacia',
  '2024-10-28.acacia',
  '2024-09-30.acacia',
  '2024-06-20',
  '2024-04-10',
  '2023-10-16',
  '2023-08-16',
  '2022-11-15',
  '2022-08-01',
  '2020-08-27',
]

/** Returns the versions of a dialect. @param own - those of paytwin's own API, oldest first */
export const versionsOf = (dialect: Dialect, own: readonly string[]): readonly string[] =>
  dialect === 'stripe' ? STRIPE_API_VERSIONS : own

/** Returns the version of a new merchant. @param own - those of paytwin's own API, oldest first */
export const newestVersionOf = (dialect: Dialect, own: readonly string[]): string =>
  (dialect === 'stripe' ? STRIPE_API_VERSIONS[0] : own.at(-1)) ?? ''

/** Checks the API version of a merchant; undefined for none. @throws ApiError parameter_invalid, param api_version */
export function checkVersionOf(dialect: Dialect, own: readonly string[], version: string | undefined): void {
  const known = versionsOf(dialect, own)
  if (version === undefined || known.includes(version)) return
  throw parameterInvalid(
    'api_version',
    `Unknown API version '${version}'. Known versions: ${known.join(', ')}.`,
  )
}
