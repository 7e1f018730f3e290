import { z } from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { MerchantState } from '../../engine/merchant.ts'
import { NOTHING_DONE } from '../../engine/scheduler.ts'
import { upcomingJobs } from '../../engine/upcoming.ts'
import { advanceFields, aimOf, presentClock, presentSummary, presentUpcoming, stopOn } from '../clock.ts'
import { list, pageParams } from '../pagination.ts'
import type { Refusals } from '../route.ts'
import { clockList, upcomingList } from '../schemas/clock.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './site.ts'

const whose = { merchant: z.string().optional(), all: z.boolean().optional() }
const whoseParams = z.object(whose)
const advanceParams = z.object({ ...whose, ...advanceFields })
const showParams = z.object({ merchant: z.string().optional() })
const upcomingParams = z.object({ merchant: z.string().optional(), ...pageParams })

/** With several merchants one has to be named, or all of them meant. */
const NEEDS_MERCHANT: Refusals = { 400: ['parameter_missing'] }

/** Source: operator.md, "Admin API"; decisions.md 2. */
export function clockAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'clock',
      summary: 'Shows the clocks of all merchants, or of one.',
      params: showParams,
      returns: clockList,
    },
    ({ c, site, params }) => {
      const merchants =
        params.merchant === undefined ? everyone(site.engine) : [theMerchant(site.engine, params.merchant)]
      return list(c.req.path, merchants.map(presentClock))
    },
  )
  add(
    {
      method: 'post',
      path: 'clock/advance',
      summary: 'Moves the clocks of one merchant or of all forward; all of them move, or none.',
      params: advanceParams,
      returns: clockList,
      errors: NEEDS_MERCHANT,
    },
    async ({ c, site, params }) => {
      const { engine } = site
      const merchants = meant(engine, params)
      const { aim, param } = aimOf(params)
      const stop_on = stopOn(params)
      // All or none: a clock that cannot move keeps the others where they are.
      for (const merchant of merchants) engine.time.check(merchant.clock, aim(merchant.clock.now), param)
      const runs = await Promise.all(
        merchants.map(async (merchant) => ({
          merchant,
          done: (await engine.time.begin(merchant, merchant.clock, aim, { stop_on, param })).done,
        })),
      )
      if (params.async) {
        for (const { done } of runs)
          done.catch((error: unknown) => site.reportError(error, 'advancing a clock'))
        return list(c.req.path, merchants.map(presentClock))
      }
      const summaries = await Promise.all(runs.map(({ done }) => done))
      return list(
        c.req.path,
        runs.map(({ merchant }, index) => ({
          ...presentClock(merchant),
          summary: presentSummary(summaries[index] ?? NOTHING_DONE),
        })),
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'clock/cancel',
      summary: 'Stops advances that are under way.',
      params: whoseParams,
      returns: clockList,
      errors: NEEDS_MERCHANT,
    },
    ({ c, site, params }) => {
      const merchants = meant(site.engine, params)
      for (const { clock } of merchants) site.engine.time.cancel(clock)
      return list(c.req.path, merchants.map(presentClock))
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
        returns: clockList,
        errors: NEEDS_MERCHANT,
      },
      async ({ c, site, params }) => {
        const merchants = meant(site.engine, params)
        await Promise.all(
          merchants.map((merchant) => site.engine.command(merchant, null, () => merchant.clock[verb]())),
        )
        return list(c.req.path, merchants.map(presentClock))
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
      const merchants =
        params.merchant === undefined ? everyone(site.engine) : [theMerchant(site.engine, params.merchant)]
      return presentUpcoming(c.req.path, params, (wanted) => {
        const [only, ...others] = merchants
        if (only && others.length === 0) return upcomingJobs(site.engine, only, wanted)
        if (wanted.cursor)
          throw parameterInvalid(
            wanted.cursor.param,
            'With several merchants name one to go on after an entry',
          )
        return merchants
          .flatMap((merchant) => upcomingJobs(site.engine, merchant, wanted))
          .sort((left, right) => left.due - right.due)
      })
    },
  )
}

const everyone = (engine: Engine): MerchantState[] => [...engine.merchants.values()]

/** @throws ApiError parameter_missing, parameter_invalid, resource_missing */
function meant(engine: Engine, { merchant, all }: z.infer<typeof whoseParams>): MerchantState[] {
  if (all && merchant !== undefined) throw parameterInvalid('all', 'Give merchant or all, not both')
  return all ? everyone(engine) : [theMerchant(engine, merchant)]
}
