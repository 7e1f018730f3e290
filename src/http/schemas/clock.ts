import * as z from 'zod'
import { JOB_KINDS } from '../../core/jobs.ts'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, reference, seconds, text } from './fields.ts'

const counted = () => ({
  jobs: z.int().describe('The number of jobs that ran.'),
  events: z.int().describe('The number of emitted events.'),
  invoices_paid: z.int().describe('The number of paid invoices.'),
  payments_failed: z.int().describe('The number of failed payments.'),
  stopped_on: text('The type of the event that stopped it early; null if none did.').nullable(),
})

/** The fields that all clocks share. */
const sharedFields = () => ({
  status: z.enum(['ready', 'advancing']).describe('Whether an advance is running.'),
  target: seconds('The target of the running advance; null if none is running').nullable(),
  progress: z.object(counted()).optional().describe('The counts so far, while an advance is running.'),
  summary: z.object(counted()).optional().describe('The counts of the advance, in its response.'),
  livemode: livemode(),
  merchant_id: text('The merchant of the clock.'),
})

export const clockSchema = component('Clock', () =>
  z
    .object({
      id: text('The id, which begins with clock_.'),
      object: z.literal('clock').describe('The type of the object.'),
      created: seconds('The start time of the clock'),
      mode: z
        .enum(['live', 'frozen'])
        .describe('live: runs with real time. frozen: moves only when advanced.'),
      now: seconds('The current time of the clock'),
      ...sharedFields(),
    })
    .describe('The main clock of a merchant, which can be frozen and advanced.'),
)
export type ClockShape = Shape<typeof clockSchema>

export const testClockSchema = component('TestClock', () =>
  z
    .object({
      id: text('The id, which begins with clock_.'),
      object: z.literal('test_clock').describe('The type of the object.'),
      created: seconds('The time of creation, on the main clock'),
      name: text('The name.').nullable(),
      mode: z.literal('frozen').describe('Always frozen: it moves only when advanced.'),
      now: seconds('The current time of the clock'),
      frozen_time: seconds('The same as now'),
      ...sharedFields(),
    })
    .describe('A clock for selected customers. Their objects follow it instead of the main clock.'),
)
export type TestClockShape = Shape<typeof testClockSchema>
export const testClockList = listOf(testClockSchema)
export const deletedTestClock = deletedStub('DeletedTestClock', 'test_clock')

/** A clock of any kind, for the admin API. */
const anyClockSchema = component('AnyClock', () =>
  z.union([clockSchema.schema, testClockSchema.schema]).describe('A main clock or a test clock.'),
)
export const anyClockList = listOf(anyClockSchema)

const upcomingSchema = component('Upcoming', () =>
  z
    .object({
      id: text('The id, valid until the job has run.'),
      object: z.literal('upcoming').describe('The type of the object.'),
      due: seconds('The due time, on the clock of the job'),
      kind: z.enum(JOB_KINDS).describe('The kind of job.'),
      subscription: reference('The subscription of the job, if any.', 'Subscription').nullable(),
      invoice: reference('The invoice of the job, if any.', 'Invoice').nullable(),
      livemode: livemode(),
      merchant_id: text('The merchant of the job.'),
    })
    .describe('A scheduled job. It changes if the object that it follows from changes.'),
)
export type UpcomingShape = Shape<typeof upcomingSchema>
export const upcomingList = listOf(upcomingSchema)
