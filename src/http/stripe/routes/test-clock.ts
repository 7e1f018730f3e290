import type Stripe from 'stripe'
import * as z from 'zod'
import { createTestClock, deleteTestClock } from '../../../engine/resources/test-clock.ts'
import { advance } from '../../clock.ts'
import { deferred } from '../../deferred.ts'
import { instant } from '../../fields.ts'
import { pageParams } from '../../pagination.ts'
import { listTestClocks } from '../../test-clock.ts'
import type { StripeApi } from '../api.ts'
import { presentTestClock } from '../present/test-clock.ts'
import { returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const clock = returning<Wire<Stripe.TestHelpers.TestClock>>('test_clock')
const createParams = deferred(() => z.object({ frozen_time: instant, name: z.string().max(300).optional() }))

export function testClockRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks',
      summary: 'Creates a test clock.',
      params: createParams,
      returns: clock,
    },
    ({ unit, params }) => presentTestClock(createTestClock(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/test_helpers/test_clocks',
      summary: 'Lists test clocks.',
      params: deferred(() => z.object(pageParams)),
      returns: returningList<Wire<Stripe.TestHelpers.TestClock>>('test_clock'),
    },
    (call) => wireList(listTestClocks(call, presentTestClock)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/test_helpers/test_clocks/:id',
      summary: 'Retrieves a test clock.',
      returns: clock,
    },
    ({ merchant, id }) => presentTestClock(merchant.testClocks.named(id)),
  )
  api.read(
    {
      method: 'post',
      path: '/v1/test_helpers/test_clocks/:id/advance',
      summary: 'Starts to advance a test clock, and responds at once. Its status is ready at the end.',
      params: deferred(() => z.object({ frozen_time: instant })),
      returns: clock,
    },
    async ({ merchant, services, id, params: { frozen_time }, storePreliminary, checkCredentials }) => {
      const found = merchant.testClocks.named(id)
      await advance(services, [{ merchant, clock: found }], {
        targetAt: () => frozen_time,
        param: 'frozen_time',
        stop_on: undefined,
        async: true,
        await_webhooks: false,
        onBegin: () => storePreliminary(presentTestClock(found)),
        checkCredentials,
      })
      return presentTestClock(found)
    },
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/test_helpers/test_clocks/:id',
      summary: 'Deletes a test clock and its customers.',
      returns: returning<Wire<Stripe.TestHelpers.DeletedTestClock>>('deleted_test_clock'),
    },
    ({ unit, id }) => ({
      id: deleteTestClock(unit, id).id,
      object: 'test_helpers.test_clock' as const,
      deleted: true as const,
    }),
  )
}
