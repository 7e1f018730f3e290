import { DEFAULT_DIALECT, DIALECTS, type Dialect } from '../core/dialect.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { KeyRing } from '../engine/access/keys.ts'
import type { Sender } from '../engine/machine/command-queue.ts'
import type { Engine, Transact } from '../engine/machine/engine.ts'
import { markState } from '../engine/machine/state-mark.ts'
import { startAppIds } from '../engine/resources/fixture-apps.ts'
import type { CreatedObject } from '../engine/resources/fixture-names.ts'
import {
  createStoredFixtures,
  type FixturePlan,
  type SkippedKey,
  storeFixtures,
} from '../engine/resources/fixtures.ts'
import { addMerchant } from '../engine/resources/merchant.ts'
import { FIRST_GENERATION } from '../store/directory.ts'
import type { Store } from '../store/store.ts'
import { damagedError, damagedText, isOfDamage } from '../store/unusable.ts'

/** The parameters of a database's first state. */
export type Beginning = {
  /** The default merchant's clock: 'live', or frozen at this time (Unix seconds). */
  readonly clock: 'live' | number
  readonly seed: string
  /** The default merchant's dialect. */
  readonly dialect: Dialect
  /** The default merchant's API version; null for the newest. */
  readonly apiVersion: string | null
  /** The default merchant's first key; null for a random one. */
  readonly secretKey: string | null
  /** The fixtures; null for the fixtures that are stored in the database. */
  readonly fixtures: FixturePlan | null
}

/** The parts that create the first state. */
type Parts = { readonly engine: Engine; readonly keys: KeyRing }

export type FirstState = {
  /** The default merchant's key, if it was generated. */
  readonly secretKey: string | null
  /** The objects created from fixtures. */
  readonly loaded: readonly CreatedObject[]
  /** The keys of the fixtures that a reset did not issue again. */
  readonly skippedKeys: readonly SkippedKey[]
}

/**
 * Creates the state of a first start, in one transaction. In a used database it replaces the whole state: the default merchant
 * keeps its keys and its ID, which follows from the seed. Other merchants and their keys are deleted, and so are all OAuth
 * grants. Only apps from the fixtures of the first start are kept.
 * See docs/contract/snapshots.md#reset.
 */
export function createFirstState(
  { engine, keys }: Parts,
  beginning: Beginning,
  sender: Sender = {},
): Promise<FirstState> {
  const { store, ids } = engine
  const { clock, seed, dialect, apiVersion, fixtures } = beginning
  const create = (transact: Transact) => {
    const made = transact((unitOf) => {
      const isReset = keys.list().length > 0
      const skippedKeys: SkippedKey[] = []
      store.deleteContents()
      store.directory.forgetOtherKeys()
      store.oauth.empty(startAppIds(engine))
      store.directory.setSetting('seed', seed)
      store.directory.setSetting('clock', String(clock))
      if (dialect !== DEFAULT_DIALECT) store.directory.setSetting('dialect', dialect)
      if (apiVersion !== null) store.directory.setSetting('api_version', apiVersion)
      if (fixtures) storeFixtures(engine, fixtures)
      ids.reset()
      const given = { name: 'Default merchant', clock, dialect, api_version: apiVersion ?? undefined }
      const merchant = addMerchant(engine, given, FIRST_GENERATION)
      const secretKey = isReset ? null : firstKey(keys, merchant.settings.ordinal, beginning)
      const loaded = createStoredFixtures({
        engine,
        keys,
        unitOf,
        merchant,
        ...(isReset && { onSkipped: (key) => skippedKeys.push(key) }),
      })
      markState(store)
      return { secretKey, loaded, skippedKeys }
    })
    keys.reload()
    return made
  }
  return engine.replaceState(create, sender)
}

/**
 * Resets a used database to its first state.
 * @throws ApiError parameter_invalid for a damaged database, which stays as it was
 */
export async function resetState(parts: Parts, beginning: Beginning, sender: Sender): Promise<FirstState> {
  try {
    return await createFirstState(parts, beginning, sender)
  } catch (error) {
    throw isOfDamage(error)
      ? parameterInvalid(null, damagedText('The sandbox cannot be reset', error.message))
      : error
  }
}

function firstKey(keys: KeyRing, merchant: number, { secretKey }: Beginning): string | null {
  const given = secretKey ?? undefined
  const { secret } = keys.make({ merchant, type: 'secret', name: 'Default', secret: given })
  return secretKey ? null : secret
}

/** Why a key of the fixtures does not work after a reset, in a sentence for the log. */
export const skippedKeyText = ({ merchant, hint, why }: SkippedKey): string =>
  `the reset left out the key ${hint} of ${merchant}: ${why === 'revoked' ? 'it was revoked' : 'another merchant has it'}`

/**
 * The parameters of a database's first start; undefined for a new database.
 * @param path - the database, for errors
 * @throws DatabaseUnusable for a used database without them, because a first start would delete its content
 */
export function beginningOf({ directory }: Store, path: string): Beginning | undefined {
  const [seed, clock] = [directory.setting('seed'), directory.setting('clock')]
  const isUsed = directory.merchants().length > 0 || directory.keys().length > 0
  if (seed === undefined && clock === undefined && !isUsed) return undefined
  if (seed === undefined) throw damagedError(path, 'its seed is missing')
  if (clock === undefined) throw damagedError(path, 'the start of its clock is missing')
  const stored = directory.setting('dialect')
  const dialect = DIALECTS.find((name) => name === stored) ?? DEFAULT_DIALECT
  const apiVersion = directory.setting('api_version') ?? null
  const start = clock === 'live' ? clock : Number(clock)
  return { seed, clock: start, dialect, apiVersion, secretKey: null, fixtures: null }
}
