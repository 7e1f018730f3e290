import type { Engine } from './engine/engine.ts'
import { startAppIds } from './engine/fixture-apps.ts'
import type { CreatedObject } from './engine/fixture-names.ts'
import { createStoredFixtures, type FixturePlan, type LeftOutKey, storeFixtures } from './engine/fixtures.ts'
import type { KeyRing } from './engine/keys.ts'
import { addMerchant } from './engine/merchant.ts'
import { FIRST_BIRTH } from './store/directory.ts'
import type { Store } from './store/store.ts'

/** The parameters of a database's first state. */
export type Beginning = {
  /** The default merchant's clock: 'live', or frozen at this time (Unix seconds). */
  readonly clock: 'live' | number
  readonly seed: string
  /** The default merchant's first key; null for a random one. */
  readonly secretKey: string | null
  /** The fixtures; null for those that the database has stored. */
  readonly fixtures: FixturePlan | null
}

/** The parts that create the first state. */
type Parts = { readonly engine: Engine; readonly keys: KeyRing }

export type Begun = {
  /** The default merchant's key, if it was generated. */
  readonly secretKey: string | null
  /** The objects created from fixtures. */
  readonly loaded: readonly CreatedObject[]
  /** The revoked access tokens: see tokenKey. */
  readonly revoked: readonly number[]
  /** The keys of the fixtures that a reset did not issue again. */
  readonly leftOut: readonly LeftOutKey[]
}

/**
 * Creates the state of a first start, in one transaction. In a used database it replaces the whole state: the default merchant
 * keeps its keys and its ID, which follows from the seed. Other merchants and their keys are deleted, and so are all OAuth
 * grants. Only apps from the fixtures of the first start are kept.
 * See docs/contract/snapshots.md#reset.
 */
export function beginAnew({ engine, keys }: Parts, beginning: Beginning): Promise<Begun> {
  const { store, ids } = engine
  const { clock, seed, fixtures } = beginning
  return engine.replaceState((transact) =>
    transact((unitOf) => {
      const isReset = keys.list().length > 0
      const leftOut: LeftOutKey[] = []
      store.deleteContents()
      store.directory.forgetOtherKeys()
      const revoked = store.oauth.empty(startAppIds(engine)).map(({ seq }) => seq)
      store.directory.setSetting('seed', seed)
      store.directory.setSetting('clock', String(clock))
      if (fixtures) storeFixtures(engine, fixtures)
      ids.reset()
      const merchant = addMerchant(engine, { name: 'Default merchant', clock }, FIRST_BIRTH)
      const secretKey = isReset ? null : firstKey(keys, merchant.settings.ordinal, beginning)
      return {
        secretKey,
        loaded: createStoredFixtures({
          engine,
          keys,
          unitOf,
          merchant,
          ...(isReset && { leaveOut: (key) => leftOut.push(key) }),
        }),
        revoked,
        leftOut,
      }
    }),
  )
}

function firstKey(keys: KeyRing, merchant: number, { secretKey }: Beginning): string | null {
  const given = secretKey ?? undefined
  const { secret } = keys.make({ merchant, type: 'secret', name: 'Default', secret: given })
  return secretKey ? null : secret
}

/** Why a key of the fixtures does not work after a reset, in a sentence for the log. */
export const leftOutText = ({ merchant, hint, why }: LeftOutKey): string =>
  `the reset left out the key ${hint} of ${merchant}: ${why === 'revoked' ? 'it was revoked' : 'another merchant has it'}`

/** What a database began with; undefined for a new one. */
export function beginningOf({ directory }: Store): Beginning | undefined {
  const [seed, clock] = [directory.setting('seed'), directory.setting('clock')]
  if (seed === undefined || clock === undefined) return undefined
  return { seed, clock: clock === 'live' ? clock : Number(clock), secretKey: null, fixtures: null }
}
