import * as z from 'zod'
import { parseInstant } from '../../core/calendar.ts'
import { DEFAULT_DIALECT, DIALECTS } from '../../core/dialect.ts'
import { FINAL_ACTIONS } from '../../core/dunning.ts'
import { type ApiError, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import type { IssuedKey } from '../../engine/access/keys.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import {
  createMerchant,
  deleteMerchant,
  findMerchant,
  updateMerchant,
} from '../../engine/resources/merchant.ts'
import { someOf } from '../../text/some-of.ts'
import { presentClock } from '../clock.ts'
import { deferred } from '../deferred.ts'
import { mailSettings, presentMails } from '../mail-settings.ts'
import { noticeSettings } from '../notice-settings.ts'
import { list } from '../pagination.ts'
import { deletedStub } from '../resource.ts'
import { retrySchedule } from '../retry-schedule.ts'
import { deletedMerchant, type MerchantShape, merchantList, merchantSchema } from '../schemas/admin.ts'
import { loadStripeEvents } from './event-form.ts'
import type { AddRoute } from './services.ts'

const settings = {
  api_version: z.string().optional(),
  dunning_final_action: z.enum(FINAL_ACTIONS).optional(),
  retry_schedule: retrySchedule().optional(),
  notices: noticeSettings().optional(),
  mails: mailSettings().optional(),
}
const name = deferred(() => z.string().min(1).max(255))
const createParams = deferred(() =>
  z.object({
    name: name().default('Merchant'),
    clock: z
      .union([z.int(), z.string()], { error: "expected 'live', Unix seconds or ISO 8601" })
      .default('live'),
    dialect: z.enum(DIALECTS).default(DEFAULT_DIALECT),
    secret_key: z.string().optional(),
    ...settings,
  }),
)
const updateParams = deferred(() => z.object({ name: name().optional(), ...settings }))

export function merchantRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'merchants',
      summary: 'Creates a merchant, with its own data, keys and clock.',
      params: createParams,
      status: 201,
      returns: merchantSchema,
    },
    async ({ services, sender, params }) => {
      if (params.dialect === 'stripe') await loadStripeEvents()
      const { engine, keys } = services
      const { secret_key: secret, ...given } = params
      const issued: IssuedKey[] = []
      const merchant = await createMerchant(
        engine,
        { ...given, clock: clockOf(given.clock) },
        ({ settings: { ordinal } }) => {
          if (secret === undefined) return
          issued.push(
            keys.make({ merchant: ordinal, type: 'secret', name: null, secret, param: 'secret_key' }),
          )
        },
        sender,
      )
      for (const { key } of issued) keys.takeUp(key.hash.toString('hex'))
      return presentMerchant(merchant)
    },
  )
  add(
    {
      method: 'get',
      path: 'merchants',
      summary: 'Lists all merchants, on one page.',
      returns: merchantList,
    },
    ({ c, services }) => list(c.req.path, [...services.engine.merchants.values()].map(presentMerchant)),
  )
  add(
    {
      method: 'post',
      path: 'merchants/:id',
      summary: 'Updates the given settings of a merchant.',
      params: updateParams,
      returns: merchantSchema,
    },
    async ({ services, sender, params, id }) =>
      presentMerchant(await updateMerchant(services.engine, id, params, sender)),
  )
  add(
    {
      method: 'delete',
      path: 'merchants/:id',
      summary: 'Deletes a merchant with its data, keys, clock and events. Cancels its running advance.',
      returns: deletedMerchant,
    },
    async ({ services, sender, id }) => {
      await deleteMerchant(services.engine, id, sender)
      return deletedStub('merchant', id)
    },
  )
}

/**
 * Returns the merchant that a request names, or the only merchant.
 * @throws ApiError parameter_missing if there are several and none is named; resource_missing, param merchant
 */
export function theMerchant(engine: Engine, id: string | undefined): MerchantState {
  if (id !== undefined) return findMerchant(engine, id, 'merchant')
  const [only, ...others] = engine.merchants.values()
  if (!only || others.length > 0) throw whichMerchant([...engine.merchants.values()])
  return only
}

/** The maximum number of merchants that an error message lists. */
const MAX_NAMED = 5

function whichMerchant(merchants: readonly MerchantState[]): ApiError {
  const named = merchants.map(({ settings: { id, name: called } }) => `${id} ${called}`)
  return parameterMissing(
    'merchant',
    `Missing required parameter: merchant. The ${merchants.length} merchants: ${someOf(named, MAX_NAMED)}`,
  )
}

/** @throws ApiError parameter_invalid, param clock */
function clockOf(clock: string | number): 'live' | number {
  const instant = clock === 'live' ? clock : parseInstant(String(clock))
  if (instant !== undefined) return instant
  throw parameterInvalid(
    'clock',
    `'${clock}' is not a clock: use live, or a time such as 2026-01-31T10:00:00Z`,
  )
}

export function presentMerchant(merchant: MerchantState): MerchantShape {
  const {
    id,
    name: called,
    created,
    api_version,
    dunning_final_action,
    retry_schedule,
    notices,
    mails,
    dialect,
  } = merchant.settings
  return {
    id,
    object: 'merchant',
    name: called,
    created,
    api_version,
    dunning_final_action,
    retry_schedule: retry_schedule === 'smart' ? retry_schedule : [...retry_schedule],
    notices,
    mails: presentMails(mails),
    dialect,
    livemode: false,
    merchant_id: id,
    clock: presentClock(merchant),
  }
}
