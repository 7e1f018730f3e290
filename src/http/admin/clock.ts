import { z } from 'zod'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Engine } from '../../engine/engine.ts'
import type { MerchantState } from '../../engine/merchant-state.ts'
import { upcomingJobs } from '../../engine/upcoming.ts'
import { advance, advanceFields, aimOf, presentClock, presentTestClock, presentUpcoming } from '../clock.ts'
import { list, pageParams } from '../pagination.ts'
import type { Refusals } from '../route.ts'
import { anyClockList, upcomingList } from '../schemas/clock.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './site.ts'

const one = { merchant: z.string().optional(), test_clock: z.string().optional() }
const whose = { ...one, all: z.boolean().optional() }
const whoseParams = z.object(whose)
const advanceParams = z.object({ ...whose, ...advanceFields })
const showParams = z.object(one)
const upcomingParams = z.object({ ...one, ...pageParams })

/** A clock, and the merchant that it belongs to. */
type Owned = { readonly merchant: MerchantState; readonly clock: Clock }

/** With several merchants one has to be named, or all of them meant. */
const NEEDS_MERCHANT: Refusals = { 400: ['parameter_missing'] }

export function clockAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'clock',
      summary: 'Shows the clocks of all merchants, or of one.',
      params: showParams,
      returns: anyClockList,
    },
    ({ c, site, params }) => list(c.req.path, shown(site.engine, params).map(present)),
  )
  add(
    {
      method: 'post',
      path: 'clock/advance',
      summary: 'Moves the clocks of one merchant or of all forward; all of them move, or none.',
      params: advanceParams,
      returns: anyClockList,
      errors: NEEDS_MERCHANT,
    },
    async ({ c, site, params }) => {
      const { engine } = site
      const clocks = meant(engine, params)
      const aim = aimOf(params)
      // All or none: a clock that cannot move keeps the others where they are.
      for (const { clock } of clocks) engine.time.check(clock, aim.aim(clock.now), aim.param)
      const wanted = { ...params, ...aim, clockParam: 'test_clock' }
      const summaries = await Promise.all(
        clocks.map(({ merchant, clock }) => advance(site, merchant, clock, wanted)),
      )
      return list(
        c.req.path,
        clocks.map((owned, index) => {
          const summary = summaries[index]
          return { ...present(owned), ...(summary && { summary }) }
        }),
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'clock/cancel',
      summary: 'Stops advances that are under way.',
      params: whoseParams,
      returns: anyClockList,
      errors: NEEDS_MERCHANT,
    },
    ({ c, site, params }) => {
      const clocks = meant(site.engine, params)
      for (const { merchant, clock } of clocks) site.engine.time.cancel(merchant, clock)
      return list(c.req.path, clocks.map(present))
    },
  )
  for (const [verb, summary] of [
    ['freeze', 'Stops clocks where they stand.'],
    ['unfreeze', 'Lets clocks tick on from where they stand.'],
  ] as const) {
    add(
      {
        method: 'post',
        path: `clock/${verb}`,
        summary,
        params: whoseParams,
        returns: anyClockList,
        errors: NEEDS_MERCHANT,
      },
      async ({ c, site, params }) => {
        if (params.test_clock !== undefined) {
          throw parameterInvalid(
            'test_clock',
            'A test clock is always frozen, and moves only when it is advanced',
          )
        }
        const clocks = meant(site.engine, params)
        await Promise.all(
          clocks.map(({ merchant, clock }) => site.engine.command(merchant, null, () => clock[verb]())),
        )
        return list(c.req.path, clocks.map(present))
      },
    )
  }
  add(
    {
      method: 'get',
      path: 'upcoming',
      summary: 'Lists what time is going to make happen, for all merchants or one.',
      params: upcomingParams,
      returns: upcomingList,
    },
    ({ c, site, params }) => {
      const clocks = shown(site.engine, params)
      return presentUpcoming(c.req.path, params, (wanted) => {
        const [only, ...others] = clocks
        if (only && others.length === 0) return upcomingJobs(site.engine, only.merchant, only.clock, wanted)
        if (wanted.cursor)
          throw parameterInvalid(
            wanted.cursor.param,
            'With several merchants name one to go on after an entry',
          )
        return clocks
          .flatMap(({ merchant, clock }) => upcomingJobs(site.engine, merchant, clock, wanted))
          .sort((left, right) => left.due - right.due)
      })
    },
  )
}

const mainClock = (merchant: MerchantState): Owned => ({ merchant, clock: merchant.clock })

/** The clocks that are to be shown: the one that is named, else the main clocks of all. @throws ApiError resource_missing */
function shown(engine: Engine, { merchant, test_clock }: z.infer<typeof showParams>): Owned[] {
  if (test_clock !== undefined) return [theTestClock(engine, test_clock, merchant)]
  if (merchant !== undefined) return [mainClock(theMerchant(engine, merchant))]
  return [...engine.merchants.values()].map(mainClock)
}

/** The clocks that are to be moved. @throws ApiError parameter_missing, parameter_invalid, resource_missing */
function meant(engine: Engine, { merchant, all, test_clock }: z.infer<typeof whoseParams>): Owned[] {
  if (all && (merchant !== undefined || test_clock !== undefined)) {
    throw parameterInvalid('all', 'Give merchant or test_clock, or all, not both')
  }
  if (all) return [...engine.merchants.values()].map(mainClock)
  if (test_clock !== undefined) return [theTestClock(engine, test_clock, merchant)]
  return [mainClock(theMerchant(engine, merchant))]
}

/** A test clock of a merchant, or of whichever has it. @throws ApiError resource_missing, param test_clock */
function theTestClock(engine: Engine, id: string, merchantId: string | undefined): Owned {
  const merchants = merchantId === undefined ? engine.merchants.values() : [theMerchant(engine, merchantId)]
  for (const merchant of merchants) {
    const clock = merchant.testClocks.find(id)
    if (clock && !clock.isDeleted) return { merchant, clock }
  }
  throw resourceMissing('test clock', id, 'test_clock')
}

const present = ({ merchant, clock }: Owned) =>
  clock.isTest ? presentTestClock(merchant.settings.id, clock) : presentClock(merchant)
