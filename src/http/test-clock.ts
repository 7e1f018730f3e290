import * as z from 'zod'
import { parameterInvalid } from '../core/errors.ts'
import type { Clock } from '../engine/machine/clock.ts'
import { createTestClock, deleteTestClock } from '../engine/resources/test-clock.ts'
import type { Api, Call } from './api.ts'
import { type AdvanceTime, advance, advanceFields, presentTestClock, targetOf } from './clock.ts'
import { deferred } from './deferred.ts'
import { instant } from './fields.ts'
import { type List, listFrom, type PageParams, pageParams } from './pagination.ts'
import { deletedStub } from './resource.ts'
import { deletedTestClock, testClockList, testClockSchema } from './schemas/clock.ts'

const createParams = deferred(() =>
  z.object({ frozen_time: instant, name: z.string().max(255).nullable().optional() }),
)
const listParams = deferred(() => z.object(pageParams))
const advanceParams = deferred(() => z.object({ frozen_time: instant.optional(), ...advanceFields }))

export function testClockRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks',
      summary: 'Creates a test clock: a frozen clock for selected customers.',
      params: createParams,
      status: 201,
      returns: testClockSchema,
    },
    ({ unit, merchant, params }) => presentTestClock(merchant.settings.id, createTestClock(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/test_helpers/test_clocks',
      summary: 'Lists test clocks, newest first.',
      params: listParams,
      returns: testClockList,
    },
    (call) => listTestClocks(call, (clock) => presentTestClock(call.merchant.settings.id, clock)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/test_helpers/test_clocks/:id',
      summary: 'Retrieves a test clock.',
      returns: testClockSchema,
    },
    ({ merchant, id }) => presentTestClock(merchant.settings.id, merchant.testClocks.named(id)),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/test_helpers/test_clocks/:id',
      summary: 'Deletes a test clock and its customers, and cancels their subscriptions immediately.',
      returns: deletedTestClock,
    },
    ({ unit, id }) => deletedStub('test_clock', deleteTestClock(unit, id).id),
  )
  api.read(
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks/:id/advance',
      summary:
        'Advances a test clock, runs the jobs that become due, and responds when the target is reached.',
      params: advanceParams,
      returns: testClockSchema,
      errors: { 400: ['parameter_missing'] },
    },
    async ({ merchant, services, params, id, storePreliminary, checkCredentials }) => {
      const clock = merchant.testClocks.named(id)
      const onBegin = () => storePreliminary(presentTestClock(merchant.settings.id, clock))
      const wanted = { ...params, ...testClockTarget(params), onBegin, checkCredentials }
      const [summary] = await advance(services, [{ merchant, clock }], wanted)
      return { ...presentTestClock(merchant.settings.id, clock), ...(summary && { summary }) }
    },
  )
  api.read(
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks/:id/cancel',
      summary: 'Cancels a running advance.',
      returns: testClockSchema,
    },
    ({ merchant, services, id }) => {
      const clock = merchant.testClocks.named(id)
      services.engine.time.cancel(merchant, clock)
      return presentTestClock(merchant.settings.id, clock)
    },
  )
}

/** Returns the target of an advance: `frozen_time`, or `to` or `by` as for the main clock. @throws ApiError parameter_missing, parameter_invalid */
function testClockTarget({ frozen_time, to, by }: z.infer<ReturnType<typeof advanceParams>>): AdvanceTime {
  if (frozen_time === undefined) return targetOf({ to, by })
  const other = to === undefined ? (by === undefined ? undefined : 'by') : 'to'
  if (other) throw parameterInvalid(other, `Use frozen_time or ${other}, not both`)
  return { targetAt: () => frozen_time, param: 'frozen_time' }
}

/** Presents a page of test clocks, newest first. Throws what `listObjects` throws. */
export const listTestClocks = <Body>(
  { c, params, merchant: { testClocks } }: Pick<Call<PageParams>, 'c' | 'params' | 'merchant'>,
  present: (clock: Clock) => Body,
): List<Body> =>
  listFrom(
    { c, params },
    {
      noun: 'test clock',
      // A deleted clock keeps its place.
      placeOf: (id) => testClocks.find(id)?.seq,
      list: ({ limit, after, before }) => ({
        rows: testClocks.list({ limit, below: after, above: before }),
        isCut: false,
      }),
    },
    present,
  )
