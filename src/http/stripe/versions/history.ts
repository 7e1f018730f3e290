import { STRIPE_API_VERSIONS } from '../../../core/api-version.ts'
import { type Version, type VersionChange, VersionHistory } from '../../versions.ts'
import { deprecatedParams } from '../deprecated-params.ts'
import { presentObject } from '../objects.ts'
import { BASIL } from './basil.ts'
import { BASIL_VERSION } from './basil-version.ts'
import { CLOVER } from './clover.ts'
import { DAHLIA } from './dahlia.ts'
import { ENDIVE } from './endive.ts'
import { APRIL_2024, AUGUST_2022, JUNE_2024, NOVEMBER_2022 } from './older.ts'

/** The changes of the supported parts of Stripe's API, by version. */
const CHANGES: Readonly<Record<string, readonly VersionChange[]>> = {
  '2026-09-30.endive': ENDIVE,
  '2026-03-25.dahlia': DAHLIA,
  '2025-09-30.clover': CLOVER,
  [BASIL_VERSION]: BASIL,
  '2024-06-20': JUNE_2024,
  '2024-04-10': APRIL_2024,
  '2022-11-15': NOVEMBER_2022,
  '2022-08-01': AUGUST_2022,
}

/** The versions of Stripe's API, oldest first. The name of a version begins with its date. */
export const STRIPE_HISTORY: readonly Version[] = STRIPE_API_VERSIONS.toSorted().map((date) => ({
  date,
  changes: CHANGES[date] ?? [],
}))

/** Converts requests and responses between the versions of Stripe's API. */
export const STRIPE_VERSIONS = new VersionHistory(STRIPE_HISTORY, {
  header: 'Stripe-Version',
  present: presentObject,
  deprecated: deprecatedParams,
})
