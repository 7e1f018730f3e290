import type { Kind } from '../core/change.ts'
import type { FinalAction } from '../core/dunning.ts'
import { assert, parameterInvalid, resourceMissing } from '../core/errors.ts'
import { FIRST_BIRTH } from '../store/directory.ts'
import { wallSeconds } from './clock.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant-state.ts'

/** The merchant of this id. @throws ApiError resource_missing */
export function findMerchant(engine: Engine, id: string, param = 'id'): MerchantState {
  const merchant = [...engine.merchants.values()].find(({ settings }) => settings.id === id)
  if (!merchant) throw resourceMissing('merchant', id, param)
  return merchant
}

/** The merchant that has an object, be it a deleted one; undefined when none has. */
export const merchantWith = (
  { merchants, store }: Engine,
  kind: Kind,
  id: string,
): MerchantState | undefined =>
  [...merchants.values()].find(
    ({ settings }) => store.objects.seqOf(kind, settings.ordinal, id) !== undefined,
  )

/** Whether this is the merchant that the first start made, and every reset makes anew: it can never be deleted. */
const isDefault = ({ settings }: MerchantState): boolean => settings.birth === FIRST_BIRTH

/** The merchant that the first start made. */
export function defaultMerchant({ merchants }: Engine): MerchantState {
  const merchant = [...merchants.values()].find(isDefault)
  assert(merchant, 'there is a default merchant')
  return merchant
}

export type MerchantParams = {
  name: string
  /** 'live', or where its frozen clock stands (Unix seconds). */
  clock: 'live' | number
  api_version?: string | undefined
  dunning_final_action?: FinalAction | undefined
}

/**
 * Makes a merchant: a unit of isolation with data, keys, events and a clock of its own.
 * See docs/contract/operator.md#merchants.
 */
export const createMerchant = (engine: Engine, given: MerchantParams): Promise<MerchantState> =>
  engine.administer(() => addMerchant(engine, given))

/**
 * Makes a merchant within the command under way: see createMerchant.
 * @param birth - tells it from all others; the next one, but for the default merchant's
 */
export function addMerchant(
  engine: Engine,
  given: MerchantParams,
  birth = engine.store.directory.nextBirth(),
): MerchantState {
  // On a frozen clock it began when that says, so that every run tells the same history.
  const created = given.clock === 'live' ? wallSeconds(engine.wall) : given.clock
  const ordinal = engine.ids.nextNumber(0, 'merchant')
  const settings = {
    ordinal,
    id: engine.ids.next(0, 'mer'),
    name: given.name,
    created,
    api_version: given.api_version ?? engine.versions.at(-1) ?? '',
    dunning_final_action: given.dunning_final_action ?? ('cancel' as const),
    birth,
  }
  engine.store.directory.addMerchant(settings)
  engine.store.clocks.add({
    id: engine.ids.next(ordinal, 'clock'),
    merchant: ordinal,
    created,
    is_test: 0,
    name: null,
    deleted: 0,
    mode: given.clock === 'live' ? 'live' : 'frozen',
    now: created,
    offset: 0,
    target: null,
    advance: null,
  })
  return engine.admit(settings)
}

/**
 * Deletes a merchant: its data, keys, clocks and streams. An advance of its clock is canceled; what waits for it is refused.
 * @throws ApiError resource_missing; parameter_invalid, param id, for the default merchant
 * See docs/contract/snapshots.md#deleting-a-merchant.
 */
export async function deleteMerchant(engine: Engine, id: string): Promise<void> {
  const merchant = findMerchant(engine, id)
  if (isDefault(merchant)) {
    throw parameterInvalid(
      'id',
      `${id} is the default merchant, which cannot be deleted: 'paytwin snapshots reset' empties it`,
    )
  }
  await engine.delete(merchant)
}

/** Changes a merchant's settings. @throws ApiError resource_missing. See docs/contract/operator.md#merchants. */
export async function updateMerchant(
  engine: Engine,
  id: string,
  change: {
    name?: string | undefined
    api_version?: string | undefined
    dunning_final_action?: FinalAction | undefined
  },
): Promise<MerchantState> {
  const merchant = findMerchant(engine, id)
  await engine.command(merchant, null, (unit) => {
    const { settings } = merchant
    unit.onRollback(() => {
      merchant.settings = settings
    })
    merchant.settings = {
      ...settings,
      name: change.name ?? settings.name,
      api_version: change.api_version ?? settings.api_version,
      dunning_final_action: change.dunning_final_action ?? settings.dunning_final_action,
    }
    engine.store.directory.updateMerchant(merchant.settings)
  })
  return merchant
}
