import { DEFAULT_DIALECT, type Dialect } from '../core/dialect.ts'
import { randomSeed } from '../engine/machine/ids.ts'
import { checkFixtures } from '../http/fixtures/check.ts'
import type { FixturesFile } from '../http/fixtures/schema.ts'
import type { VersionHistory } from '../http/versions.ts'
import type { Addresses } from '../webhooks/address.ts'
import type { Beginning } from './first-start.ts'

/** The options for the first state of a new database. */
export type BeginningOptions = {
  /** The default merchant's clock: 'live', or its frozen time (Unix seconds). null for the database's own. */
  readonly clock?: 'live' | number | null
  readonly seed?: string | null
  /** The default merchant's dialect; null for the database's own, or paytwin. */
  readonly dialect?: Dialect | null
  /** The default merchant's API version; null for the database's own, or the newest. */
  readonly apiVersion?: string | null
  /** The default merchant's first key. */
  readonly secretKey?: string | null
  /** Returns the fixtures. It is called only for a new database. */
  readonly fixtures?: () => readonly FixturesFile[]
}

/** An option that applies only to a new database was given with another value. */
export class OptionConflict extends Error {}

/** Returns the parameters of a new database. @throws ApiError for invalid fixtures */
export const newBeginning = (
  { seed, clock, dialect, apiVersion, secretKey, fixtures }: BeginningOptions,
  versions: VersionHistory,
  addresses: Addresses,
): Beginning => ({
  seed: seed ?? randomSeed(),
  clock: clock ?? 'live',
  dialect: dialect ?? DEFAULT_DIALECT,
  apiVersion: apiVersion ?? null,
  secretKey: secretKey ?? null,
  fixtures: checkFixtures(fixtures?.() ?? [], {
    versions: versions.dates,
    receiverRefusal: (url) => addresses.urlRefusal(url),
  }),
})

/** Refuses a seed, a clock, a dialect or a version that differs from the database's. See docs/contract/operator.md#options. */
export function refuseOtherOptions(
  known: Beginning,
  { seed, clock, dialect, apiVersion }: BeginningOptions,
): void {
  const given = { seed, clock, dialect, 'api-version': apiVersion }
  const stored = { ...known, 'api-version': known.apiVersion }
  for (const name of ['seed', 'clock', 'dialect', 'api-version'] as const) {
    const value = given[name]
    if (value !== null && value !== undefined && value !== stored[name]) {
      throw new OptionConflict(
        `--${name} differs from the value that this database was created with. Omit it, or use another --data folder`,
      )
    }
  }
}
