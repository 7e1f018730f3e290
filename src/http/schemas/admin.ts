import * as z from 'zod'
import { DIALECTS } from '../../core/dialect.ts'
import { FINAL_ACTIONS } from '../../core/dunning.ts'
import { MAIL_KINDS, type MailKind } from '../../core/mail-kinds.ts'
import { NOTICE_KINDS, type NoticeKind } from '../../core/notices.ts'
import { FAULT_KINDS } from '../../engine/machine/faults.ts'
import { MAIL_TEXTS } from '../mail-settings.ts'
import { NOTICE_TEXTS } from '../notice-settings.ts'
import { RETRY_SCHEDULE_TEXT } from '../retry-schedule.ts'
import { clockSchema } from './clock.ts'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, seconds, text } from './fields.ts'

export const healthSchema = component('Health', () =>
  z
    .object({
      status: z.literal('ok').describe('Always ok.'),
      proof: text(
        'Proves that the daemon knows the admin token: HMAC-SHA256 with the token as key over the url, a space and the nonce, in hexadecimal digits. Only with a nonce.',
      ).optional(),
      livemode: livemode(),
    })
    .describe('The health of the daemon.'),
)

export const merchantSchema = component('Merchant', () =>
  z
    .object({
      id: text('The id, which begins with mer_.'),
      object: z.literal('merchant').describe('The type of the object.'),
      name: text('The name.'),
      created: seconds('The start time of its clock'),
      api_version: text('The API version of requests that do not name one.'),
      dunning_final_action: z
        .enum(FINAL_ACTIONS)
        .describe('The action on a subscription after the last failed payment retry.'),
      retry_schedule: z.union([z.literal('smart'), z.array(z.int())]).describe(RETRY_SCHEDULE_TEXT),
      notices: z
        .object(
          Object.fromEntries(
            NOTICE_KINDS.map((kind) => [kind, z.int().nullable().describe(NOTICE_TEXTS[kind])]),
          ) as Record<NoticeKind, z.ZodNullable<z.ZodInt>>,
        )
        .describe('When notices are emitted.'),
      mails: z
        .object(
          Object.fromEntries(
            MAIL_KINDS.map((kind) => [kind, z.boolean().describe(MAIL_TEXTS[kind])]),
          ) as Record<MailKind, z.ZodBoolean>,
        )
        .nullable()
        .describe('Which mail customers get; null with the dialect paytwin, which has no mail.'),
      dialect: z
        .enum(DIALECTS)
        .describe("The API of the merchant: paytwin, or stripe for Stripe's. Fixed at creation."),
      livemode: livemode(),
      merchant_id: text('The same as id.'),
      clock: clockSchema.schema.describe('The main clock.'),
    })
    .describe('A merchant, with its own data, keys, clock and events.'),
)
export type MerchantShape = Shape<typeof merchantSchema>
export const merchantList = listOf(merchantSchema)
export const deletedMerchant = deletedStub('DeletedMerchant', 'merchant')

export const statusSchema = component('Status', () =>
  z
    .object({
      object: z.literal('status').describe('The type of the object.'),
      url: text('The url of the daemon.'),
      pid: z.int().describe('The process id of the daemon.'),
      data: text('The data folder; null if the daemon runs in memory.').nullable(),
      version: text('The version of paytwin.'),
      uptime: z.int().describe('Seconds since the start of the daemon.'),
      merchants: z.array(merchantSchema.schema).describe('All merchants, with their clocks.'),
      counts: z.record(z.string(), z.int()).describe('The number of objects ever created, by kind.'),
      livemode: livemode(),
    })
    .describe('The status of the daemon.'),
)
export type StatusShape = Shape<typeof statusSchema>

const keyFields = () => ({
  id: text('The id, which begins with key_.'),
  object: z.literal('key').describe('The type of the object.'),
  type: z.enum(['secret', 'publishable']).describe('secret for servers, publishable for browsers.'),
  name: text('A name for your own use.').nullable(),
  hint: text('The prefix and the last four characters of the key.'),
  created: seconds('The time of creation, on the wall clock'),
  last_used: seconds('The time of the last use, on the wall clock; null if never used').nullable(),
  revoked: seconds('The time of revocation, on the wall clock; null if not revoked').nullable(),
  livemode: livemode(),
  merchant_id: text('The merchant of the key.').optional(),
})

export const keySchema = component('Key', () =>
  z.object(keyFields()).describe('An API key. Only a hash of it is stored.'),
)
export type KeyShape = Shape<typeof keySchema>
export const keyList = listOf(keySchema)
export const issuedKeySchema = component('IssuedKey', () =>
  z
    .object({ ...keyFields(), secret: text('The key, shown only in this response.') })
    .describe('A new API key.'),
)

export const faultSchema = component('Fault', () =>
  z
    .object({
      id: text('The id, which begins with fault_.'),
      object: z.literal('fault').describe('The type of the object.'),
      kind: z.enum(FAULT_KINDS).describe('The kind of fault.'),
      remaining: z.int().nullable().describe('How many more times it applies; null for no limit.'),
      rate: z.number().describe('The probability with which it applies, 0 to 1.'),
      route: text(
        'A glob of the affected routes; for webhook_failure, of the urls. null for all, and for faults of charges.',
      ).nullable(),
      merchant: text('The affected merchant; null for all.').nullable(),
      ms: z.int().nullable().describe('The delay of a latency in milliseconds; null for other kinds.'),
      livemode: livemode(),
    })
    .describe('An injected fault.'),
)
export type FaultShape = Shape<typeof faultSchema>
export const faultList = listOf(faultSchema)
export const deletedFault = deletedStub('DeletedFault', 'fault')
