import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { livemode, seconds, text } from './fields.ts'

const sentenceSchema = component('ExplanationSentence', () =>
  z
    .object({
      part: z
        .enum(['status', 'detail', 'next'])
        .describe(
          'What it is about: the status and its cause, a further fact, or what will happen by itself.',
        ),
      text: text('The sentence, in English. Times are in ISO 8601, UTC.'),
      at: seconds('When it happened or will happen; null for none').nullable(),
      rule: text('The heading of the contract with the rule, such as invoices.md#retry-schedule.'),
      url: text('The address of the rule in the documentation of the daemon.'),
      object: text('The id of another object that it mentions; null for none.').nullable(),
    })
    .describe('A sentence of an explanation.'),
)

/** paytwin: why an object is in its status, and what will happen to it. */
export const explanationSchema = component('Explanation', () =>
  z
    .object({
      object: z.literal('explanation').describe('The type of the object.'),
      id: text('The id of the explained object.'),
      resource: z
        .enum([
          'subscription',
          'invoice',
          'payment_intent',
          'setup_intent',
          'subscription_schedule',
          'dispute',
          'checkout_session',
        ])
        .describe('The type of the explained object.'),
      status: text("Its status, in paytwin's own words."),
      now: seconds('The current time of its clock'),
      as_of: seconds('The time that is explained: now, or the parameter at'),
      sentences: z
        .array(sentenceSchema.schema)
        .describe('The sentences, in the order in which they are read.'),
      livemode: livemode(),
      merchant_id: text('The merchant.'),
    })
    .describe('Why an object is in its status, and what will happen to it, with links to the contract.'),
)
export type ExplanationShape = Shape<typeof explanationSchema>
