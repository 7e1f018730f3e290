import { z } from 'zod'
import { FINAL_ACTIONS } from '../../core/dunning.ts'
import { FAULT_KINDS } from '../../engine/faults.ts'
import { clockSchema } from './clock.ts'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, seconds, text } from './fields.ts'

export const healthSchema = component('Health', () =>
  z
    .object({
      status: z.literal('ok').describe('Always ok.'),
      proof: text(
        'What only a daemon with this url and admin token can answer to the nonce: HMAC-SHA256 with the token as key over the url, a space and the nonce, in hexadecimal digits. There when a nonce was given.',
      ).optional(),
      livemode: livemode(),
    })
    .describe('That the daemon answers.'),
)

export const merchantSchema = component('Merchant', () =>
  z
    .object({
      id: text('Its identifier, which begins with mer_.'),
      object: z.literal('merchant').describe('What kind of object this is.'),
      name: text('What it is called.'),
      created: seconds('Where its clock began'),
      api_version: text('The version of the API that its requests speak unless they name another.'),
      dunning_final_action: z
        .enum(FINAL_ACTIONS)
        .describe('What becomes of a subscription when no retry of a payment is left.'),
      livemode: livemode(),
      merchant_id: text('Its identifier again.'),
      clock: clockSchema.schema.describe('Its clock.'),
    })
    .describe('The unit of isolation: a merchant has its own data, keys, clock and events.'),
)
export type MerchantShape = Shape<typeof merchantSchema>
export const merchantList = listOf(merchantSchema)
export const deletedMerchant = deletedStub('DeletedMerchant', 'merchant')

export const statusSchema = component('Status', () =>
  z
    .object({
      object: z.literal('status').describe('What kind of object this is.'),
      url: text('Where the daemon listens.'),
      pid: z.int().describe('Its process.'),
      data: text('Its data folder; null when all is in memory.').nullable(),
      version: text('The version of paytwin.'),
      uptime: z.int().describe('Seconds since it was started.'),
      merchants: z.array(merchantSchema.schema).describe('All merchants, with their clocks.'),
      counts: z.record(z.string(), z.int()).describe('How many objects of some kinds were ever made.'),
      livemode: livemode(),
    })
    .describe('Where the daemon runs, on what, and with how much in it.'),
)
export type StatusShape = Shape<typeof statusSchema>

const keyFields = () => ({
  id: text('Its identifier, which begins with key_.'),
  object: z.literal('key').describe('What kind of object this is.'),
  type: z
    .enum(['secret', 'publishable'])
    .describe('Secret ones are for servers, publishable ones for browsers.'),
  name: text('Words for your own use.').nullable(),
  hint: text('Its beginning and its last four characters.'),
  created: seconds('When it was issued, on the wall clock'),
  last_used: seconds('When it was last used, on the wall clock; null for never').nullable(),
  revoked: seconds('When it was revoked, on the wall clock; null while it was not').nullable(),
  livemode: livemode(),
  merchant_id: text('The merchant that it opens.').optional(),
})

export const keySchema = component('Key', () =>
  z.object(keyFields()).describe('An API key; only a hash of it is kept.'),
)
export type KeyShape = Shape<typeof keySchema>
export const keyList = listOf(keySchema)
export const issuedKeySchema = component('IssuedKey', () =>
  z
    .object({ ...keyFields(), secret: text('The key itself, which is shown this once.') })
    .describe('An API key that was just issued.'),
)

export const faultSchema = component('Fault', () =>
  z
    .object({
      id: text('Its identifier, which begins with fault_.'),
      object: z.literal('fault').describe('What kind of object this is.'),
      kind: z.enum(FAULT_KINDS).describe('What goes wrong.'),
      remaining: z.int().nullable().describe('How many more times it strikes; null for ever.'),
      rate: z.number().describe('The share of the occasions on which it strikes, 0 to 1.'),
      route: text(
        'The routes that it strikes, as a glob; of a webhook_failure the urls. null for all, and for a fault of charges.',
      ).nullable(),
      merchant: text('The merchant that it strikes; null for all.').nullable(),
      ms: z.int().nullable().describe('Of a latency: how many milliseconds; null for any other.'),
      livemode: livemode(),
    })
    .describe('Something that was made to go wrong.'),
)
export type FaultShape = Shape<typeof faultSchema>
export const faultList = listOf(faultSchema)
export const deletedFault = deletedStub('DeletedFault', 'fault')
