import { z } from 'zod'
import { JOB_KINDS } from '../../core/jobs.ts'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, reference, seconds, text } from './fields.ts'

const counted = () => ({
  jobs: z.int().describe('How many due jobs were run.'),
  events: z.int().describe('How many events they told.'),
  invoices_paid: z.int().describe('How many invoices were paid.'),
  payments_failed: z.int().describe('How many payments failed.'),
  stopped_on: text('The type of the event that ended it early; null for none.').nullable(),
})

/** How far clocks of every kind have come, and whose they are. */
const course = () => ({
  status: z.enum(['ready', 'advancing']).describe('Whether an advance is under way.'),
  target: seconds('Where the advance under way leads; null when there is none').nullable(),
  progress: z
    .object(counted())
    .optional()
    .describe('While an advance is under way: what it has done so far.'),
  summary: z.object(counted()).optional().describe('In the answer of an advance: what it did.'),
  livemode: livemode(),
  merchant_id: text('The merchant that it belongs to.'),
})

export const clockSchema = component('Clock', () =>
  z
    .object({
      id: text('Its identifier, which begins with clock_.'),
      object: z.literal('clock').describe('What kind of object this is.'),
      created: seconds('Where it began'),
      mode: z.enum(['live', 'frozen']).describe('Whether it ticks, or moves only when it is advanced.'),
      now: seconds('The time that it shows'),
      ...course(),
    })
    .describe("What a merchant's subscriptions take for the time: it can be frozen, and advanced."),
)
export type ClockShape = Shape<typeof clockSchema>

export const testClockSchema = component('TestClock', () =>
  z
    .object({
      id: text('Its identifier, which begins with clock_.'),
      object: z.literal('test_clock').describe('What kind of object this is.'),
      created: seconds('When it was made, on the main clock of the merchant'),
      name: text('What it is called.').nullable(),
      mode: z.literal('frozen').describe('It moves only when it is advanced.'),
      now: seconds('The time that it shows'),
      frozen_time: seconds('The same: where it stands'),
      ...course(),
    })
    .describe('A clock for single customers: all that belongs to them follows it, and not the main clock.'),
)
export type TestClockShape = Shape<typeof testClockSchema>
export const testClockList = listOf(testClockSchema)
export const deletedTestClock = deletedStub('DeletedTestClock', 'test_clock')

/** What the operator, who moves clocks of every kind, is shown of them. */
const anyClockSchema = component('AnyClock', () =>
  z
    .union([clockSchema.schema, testClockSchema.schema])
    .describe('A clock of a merchant, or of single customers of one.'),
)
export const anyClockList = listOf(anyClockSchema)

const upcomingSchema = component('Upcoming', () =>
  z
    .object({
      id: text('Says which it is, for as long as it is to come.'),
      object: z.literal('upcoming').describe('What kind of object this is.'),
      due: seconds('When it happens, on its clock'),
      kind: z.enum(JOB_KINDS).describe('What happens.'),
      subscription: reference('The subscription that it happens to, if any.', 'Subscription').nullable(),
      invoice: reference('The invoice that it happens to, if any.', 'Invoice').nullable(),
      livemode: livemode(),
      merchant_id: text('The merchant that it happens to.'),
    })
    .describe('Something that time is going to make happen, unless what it follows from changes.'),
)
export type UpcomingShape = Shape<typeof upcomingSchema>
export const upcomingList = listOf(upcomingSchema)
