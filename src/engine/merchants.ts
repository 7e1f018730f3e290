import type { FinalAction } from '../core/dunning.ts'
import { resourceMissing } from '../core/errors.ts'
import { wallSeconds } from './clock.ts'
import type { Engine } from './engine.ts'
import type { MerchantState } from './merchant.ts'

/** The merchant of this id. @throws ApiError resource_missing */
export function findMerchant(engine: Engine, id: string, param = 'id'): MerchantState {
  const merchant = [...engine.merchants.values()].find(({ settings }) => settings.id === id)
  if (!merchant) throw resourceMissing('merchant', id, param)
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
 * Source: operator.md, "Command line".
 */
export const createMerchant = (engine: Engine, given: MerchantParams): Promise<MerchantState> =>
  engine.administer(() => addMerchant(engine, given))

/** Makes a merchant within the command under way: see createMerchant. */
export function addMerchant(engine: Engine, given: MerchantParams): MerchantState {
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

/** Changes a merchant's settings. @throws ApiError resource_missing. Source: decisions.md 11. */
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
  const settings = {
    ...merchant.settings,
    name: change.name ?? merchant.settings.name,
    api_version: change.api_version ?? merchant.settings.api_version,
    dunning_final_action: change.dunning_final_action ?? merchant.settings.dunning_final_action,
  }
  await engine.command(merchant, null, () => engine.store.directory.updateMerchant(settings))
  merchant.settings = settings
  return merchant
}
