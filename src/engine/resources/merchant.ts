import { checkVersionOf, newestVersionOf } from '../../core/api-version.ts'
import { DEFAULT_DIALECT, type Dialect } from '../../core/dialect.ts'
import { DEFAULT_RETRIES, type FinalAction, type RetrySchedule } from '../../core/dunning.ts'
import { assert, parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { Kind } from '../../core/kinds.ts'
import { changedMails, type MailSettings, type MailUpdate } from '../../core/mail.ts'
import type { NoticeDays, NoticeKind } from '../../core/notices.ts'
import { RULES } from '../../core/rules.ts'
import { FIRST_GENERATION } from '../../store/directory.ts'
import { liveInstant } from '../machine/clock.ts'
import type { Sender } from '../machine/command-queue.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/** Finds a merchant by id. @throws ApiError resource_missing */
export function findMerchant(engine: Engine, id: string, param = 'id'): MerchantState {
  const merchant = [...engine.merchants.values()].find(({ settings }) => settings.id === id)
  if (!merchant) throw resourceMissing('merchant', id, param)
  return merchant
}

/** Finds the merchant of an object, also of a deleted one; undefined when none has it. */
export const merchantOfObject = (
  { merchants, store }: Engine,
  kind: Kind,
  id: string,
): MerchantState | undefined =>
  [...merchants.values()].find(
    ({ settings }) => store.objects.seqOf(kind, settings.ordinal, id) !== undefined,
  )

/** Finds the merchant with this delivery. */
export const merchantOfDelivery = ({ merchants, store }: Engine, id: string): MerchantState | undefined =>
  [...merchants.values()].find(({ settings }) => store.deliveries.get(settings.ordinal, id))

/** Reports whether this is the merchant of the first start, which every reset creates again. It cannot be deleted. */
const isDefault = ({ settings }: MerchantState): boolean => settings.generation === FIRST_GENERATION

/** Returns the merchant of the first start. */
export function defaultMerchant({ merchants }: Engine): MerchantState {
  const merchant = [...merchants.values()].find(isDefault)
  assert(merchant, 'the default merchant exists')
  return merchant
}

export type MerchantParams = {
  name: string
  /** 'live', or the time of a frozen clock (Unix seconds). */
  clock: 'live' | number
  api_version?: string | undefined
  dunning_final_action?: FinalAction | undefined
  /** The days of the retries; 1, 3, 5 and 7 by default. */
  retry_schedule?: RetrySchedule | undefined
  /** paytwin by default. It cannot be changed later. */
  dialect?: Dialect | undefined
  notices?: NoticeUpdate | undefined
  /** The kinds of mail that customers get. */
  mails?: MailUpdate | undefined
}

/** @throws ApiError parameter_invalid, param retry_schedule, for a merchant whose retries are fixed */
function retriesFor(dialect: Dialect, given: RetrySchedule | undefined): RetrySchedule | undefined {
  if (given !== undefined && !RULES[dialect].choosesRetries)
    throw parameterInvalid(
      'retry_schedule',
      'retry_schedule applies only to merchants whose dialect is stripe',
    )
  return given
}

/**
 * @param newest - the number of the merchant's newest event
 * @throws ApiError parameter_invalid, param mails, for a merchant whose customers get no mail
 */
function mailsFor(
  dialect: Dialect,
  before: MailSettings,
  change: MailUpdate | undefined,
  newest: number,
): MailSettings {
  if (change === undefined) return before
  if (RULES[dialect].mails === null)
    throw parameterInvalid('mails', 'mails applies only to merchants whose dialect is stripe')
  return changedMails(before, change, newest)
}

/** Returns the settings for mail of a new merchant. */
function firstMails(dialect: Dialect): MailSettings {
  const { mails } = RULES[dialect]
  return mails === null ? [] : [{ after: 0, on: mails }]
}

/** New days of some notices; undefined leaves a setting unchanged. */
export type NoticeUpdate = { readonly [Kind in NoticeKind]?: number | null | undefined }

const changedNotices = (before: NoticeDays, change: NoticeUpdate = {}): NoticeDays => {
  const given = Object.entries(change).filter(([, days]) => days !== undefined)
  return { ...before, ...Object.fromEntries(given) }
}

/**
 * Creates a merchant: a unit of isolation with its own data, keys, events and clock.
 * @param begin - creates further objects of the merchant in the same command
 * @throws ApiError parameter_invalid, param api_version
 * See docs/contract/operator.md#merchants.
 */
export const createMerchant = (
  engine: Engine,
  given: MerchantParams,
  begin: (merchant: MerchantState) => void = () => undefined,
  sender: Sender = {},
): Promise<MerchantState> =>
  engine.operatorCommand(() => {
    const merchant = addMerchant(engine, given)
    begin(merchant)
    return merchant
  }, sender)

/**
 * Creates a merchant within the open command: see createMerchant.
 * @param generation - a unique number: the next one, except for the default merchant
 */
export function addMerchant(
  engine: Engine,
  given: MerchantParams,
  generation = engine.store.directory.nextGeneration(),
): MerchantState {
  // With a frozen clock `created` is the clock's time, so that every run has the same history.
  const created = given.clock === 'live' ? liveInstant(engine.wall) : given.clock
  const ordinal = engine.ids.nextNumber(0, 'merchant')
  const dialect = given.dialect ?? DEFAULT_DIALECT
  checkVersionOf(dialect, engine.versions, given.api_version)
  const settings = {
    ordinal,
    id: engine.ids.next(0, 'mer'),
    name: given.name,
    created,
    api_version: given.api_version ?? newestVersionOf(dialect, engine.versions),
    dunning_final_action: given.dunning_final_action ?? ('cancel' as const),
    notices: changedNotices(RULES[dialect].notices, given.notices),
    mails: mailsFor(dialect, firstMails(dialect), given.mails, 0),
    retry_schedule: retriesFor(dialect, given.retry_schedule) ?? DEFAULT_RETRIES,
    generation,
    dialect,
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
  return engine.loadMerchant(settings)
}

/**
 * Deletes a merchant: its data, keys, clocks and streams. An advance of its clock is canceled; commands that wait are
 * refused.
 * @throws ApiError resource_missing; parameter_invalid, param id, for the default merchant
 * See docs/contract/snapshots.md#deleting-a-merchant.
 */
export async function deleteMerchant(engine: Engine, id: string, sender: Sender = {}): Promise<void> {
  const merchant = findMerchant(engine, id)
  if (isDefault(merchant)) {
    throw parameterInvalid(
      'id',
      `${id} is the default merchant, which cannot be deleted; 'paytwin reset' empties it`,
    )
  }
  await engine.deleteMerchant(merchant, sender)
}

/** New settings of a merchant; undefined leaves a setting unchanged. */
type SettingsUpdate = {
  name?: string | undefined
  api_version?: string | undefined
  dunning_final_action?: FinalAction | undefined
  retry_schedule?: RetrySchedule | undefined
  notices?: NoticeUpdate | undefined
  mails?: MailUpdate | undefined
}

/** Updates a merchant's settings. @throws ApiError resource_missing; parameter_invalid, param api_version. See docs/contract/operator.md#merchants. */
export async function updateMerchant(
  engine: Engine,
  id: string,
  change: SettingsUpdate,
  sender: Sender = {},
): Promise<MerchantState> {
  const merchant = findMerchant(engine, id)
  checkVersionOf(merchant.settings.dialect, engine.versions, change.api_version)
  await engine.command(merchant, null, (unit) => changeSettings(unit, change), sender)
  return merchant
}

/** Changes the settings of a unit's merchant. */
export function changeSettings(unit: UnitOfWork, change: SettingsUpdate): void {
  const { merchant, store } = unit
  const { settings } = merchant
  unit.onRollback(() => {
    merchant.settings = settings
  })
  merchant.settings = {
    ...settings,
    name: change.name ?? settings.name,
    api_version: change.api_version ?? settings.api_version,
    dunning_final_action: change.dunning_final_action ?? settings.dunning_final_action,
    retry_schedule: retriesFor(settings.dialect, change.retry_schedule) ?? settings.retry_schedule,
    notices: changedNotices(settings.notices, change.notices),
    mails: mailsFor(settings.dialect, settings.mails, change.mails, store.journal.head(settings.ordinal)),
  }
  store.directory.updateMerchant(merchant.settings)
}
