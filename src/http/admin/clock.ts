import * as z from 'zod'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { MerchantClock } from '../../engine/machine/begin-advance.ts'
import type { Sender } from '../../engine/machine/command-queue.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { checkCurrent, MerchantDeleted, type MerchantState } from '../../engine/machine/merchant-state.ts'
import { OPERATOR } from '../../engine/machine/turns.ts'
import { type Upcoming, type UpcomingPage, upcomingInSteps } from '../../engine/resources/upcoming.ts'
import {
  type AdvanceTime,
  advance,
  advanceFields,
  presentClock,
  presentTestClock,
  presentUpcoming,
  targetOf,
} from '../clock.ts'
import { deferred } from '../deferred.ts'
import { list, pageParams } from '../pagination.ts'
import { readInSteps } from '../read-turn.ts'
import type { RouteErrors } from '../route.ts'
import { anyClockList, upcomingList } from '../schemas/clock.ts'
import { theMerchant } from './merchant.ts'
import { type NamedAdvance, NamedAdvances } from './named-advances.ts'
import type { AddRoute, AdminServices } from './services.ts'

const oneFields = { merchant: z.string().optional(), test_clock: z.string().optional() }
const scopeFields = { ...oneFields, all: z.boolean().optional() }
const scopeParams = deferred(() => z.object(scopeFields))
const idField = { advance_id: z.string().min(1).max(255).optional() }
const advanceParams = deferred(() => z.object({ ...scopeFields, ...advanceFields, ...idField }))
const cancelParams = deferred(() => z.object({ ...scopeFields, ...idField }))
const showParams = deferred(() => z.object({ ...oneFields, advancing: z.boolean().optional() }))
const upcomingParams = deferred(() => z.object({ ...oneFields, ...pageParams }))

/** If there are several merchants, `merchant` or `all` is required. */
const NEEDS_MERCHANT: RouteErrors = { 400: ['parameter_missing'] }

export function clockAdminRoutes(add: AddRoute): void {
  const named = new NamedAdvances()
  add(
    {
      method: 'get',
      path: 'clock',
      summary:
        'Lists the main clocks of all merchants or of one, a test clock, or the clocks that are advancing.',
      params: showParams,
      returns: anyClockList,
    },
    ({ c, services, params }) => list(c.req.path, listed(services.engine, params).map(present)),
  )
  add(
    {
      method: 'post',
      path: 'clock/advance',
      summary: 'Advances the clocks of one merchant or of all: all of them or none.',
      params: advanceParams,
      returns: anyClockList,
      errors: NEEDS_MERCHANT,
    },
    async ({ c, services, sender, params }) => {
      const wanted = { ...params, ...sender, ...targetOf(params), clockParam: 'test_clock' }
      const { clocks, summaries } = await advanceNamed(services, wanted, named)
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
      summary: 'Cancels running advances, or the one with the given advance_id, also while it waits.',
      params: cancelParams,
      returns: anyClockList,
      errors: NEEDS_MERCHANT,
    },
    ({ c, services, params: { advance_id, ...scope } }) => {
      if (advance_id !== undefined) {
        if (Object.values(scope).some((value) => value !== undefined)) {
          throw parameterInvalid('advance_id', 'Use advance_id, or merchant, test_clock and all, not both')
        }
        return list(c.req.path, named.cancel(advance_id).map(present))
      }
      const clocks = selectClocks(services.engine, scope)
      for (const { merchant, clock } of clocks) services.engine.time.cancel(merchant, clock)
      return list(c.req.path, clocks.map(present))
    },
  )
  for (const [verb, summary] of [
    ['freeze', 'Freezes clocks at their current time.'],
    ['unfreeze', 'Unfreezes clocks, which then run from their current time.'],
  ] as const) {
    add(
      {
        method: 'post',
        path: `clock/${verb}`,
        summary,
        params: scopeParams,
        returns: anyClockList,
        errors: NEEDS_MERCHANT,
      },
      async ({ c, services, sender, params }) => {
        if (params.test_clock !== undefined) {
          throw parameterInvalid('test_clock', 'A test clock is always frozen: use advance to move it')
        }
        const clocks = selectClocks(services.engine, params)
        await Promise.all(
          clocks.map(({ merchant, clock }) =>
            services.engine.command(merchant, null, () => clock[verb](), sender),
          ),
        )
        return list(c.req.path, clocks.map(present))
      },
    )
  }
  add(
    {
      method: 'get',
      path: 'upcoming',
      summary: 'Lists scheduled jobs of all merchants or of one, next due first.',
      params: upcomingParams,
      returns: upcomingList,
    },
    ({ c, services, params, sender }) => {
      const clocks = shown(services.engine, params)
      const check = () => {
        sender.checkCredentials?.()
        // One of several that is deleted has no further jobs.
        for (const { merchant } of clocks)
          if (clocks.length === 1 || merchant.presence !== 'deleted') checkCurrent(merchant)
      }
      return presentUpcoming(c.req.path, params, (wanted) =>
        readInSteps(
          services,
          { owner: OPERATOR, env: c.env, check },
          upcomingOf(services.engine, clocks, wanted),
        ),
      )
    },
  )
}

/** Lists the next jobs of one clock, or those of several together, in steps. @throws ApiError parameter_invalid */
function* upcomingOf(
  engine: Engine,
  clocks: readonly MerchantClock[],
  wanted: UpcomingPage,
): Generator<void, Upcoming[]> {
  const [only, ...others] = clocks
  if (only && others.length === 0) return yield* upcomingInSteps(engine, only.merchant, only.clock, wanted)
  if (wanted.cursor)
    throw parameterInvalid(
      wanted.cursor.param,
      `With several merchants, ${wanted.cursor.param} requires the parameter merchant`,
    )
  let first: Upcoming[] = []
  for (const { merchant, clock } of clocks) {
    const found = yield* upcomingInSteps(engine, merchant, clock, wanted)
    // Jobs of one instant stay in the order of their merchants.
    first = [...first, ...found].sort((left, right) => left.due - right.due).slice(0, wanted.limit)
    yield
  }
  return first
}

type Wanted = AdvanceTime &
  Sender &
  z.infer<ReturnType<typeof advanceParams>> & { readonly clockParam: string }

/** Advances the selected clocks. The advance can be canceled by its `advance_id` until it has ended. */
async function advanceNamed(services: AdminServices, wanted: Wanted, advances: NamedAdvances) {
  const advance = wanted.advance_id === undefined ? undefined : advances.add(wanted.advance_id)
  try {
    return await advanceSelected(services, wanted, advance)
  } catch (error) {
    advance?.end()
    throw error
  }
}

/** Advances the selected clocks: all of them or none. With `all`, a merchant that is deleted meanwhile is left out. */
async function advanceSelected(services: AdminServices, wanted: Wanted, named: NamedAdvance | undefined) {
  for (;;) {
    const clocks = selectClocks(services.engine, wanted)
    if (named) named.clocks = clocks
    // A clock never goes back: a target that is not ahead now is refused without waiting.
    for (const { clock } of clocks)
      services.engine.time.check(clock, wanted.targetAt(clock.now), wanted.param)
    try {
      const cancelable = named && { signal: named.signal, ended: named.end }
      return { clocks, summaries: await advance(services, clocks, { ...wanted, ...cancelable }) }
    } catch (error) {
      if (!(wanted.all && error instanceof MerchantDeleted)) throw error
    }
  }
}

const mainClock = (merchant: MerchantState): MerchantClock => ({ merchant, clock: merchant.clock })

/** Lists the clocks to show or, with `advancing`, all advancing clocks of their merchants. */
function listed(engine: Engine, params: z.infer<ReturnType<typeof showParams>>): MerchantClock[] {
  const clocks = shown(engine, params)
  if (!params.advancing) return clocks
  const all =
    params.test_clock === undefined
      ? clocks.flatMap(({ merchant, clock }) => [
          { merchant, clock },
          ...merchant.testClocks.advancing().map((each) => ({ merchant, clock: each })),
        ])
      : clocks
  return all.filter(({ clock }) => clock.target !== null)
}

/** Returns the clocks to show: the given one, or else the main clocks of all merchants. @throws ApiError resource_missing */
function shown(
  engine: Engine,
  { merchant, test_clock }: { merchant?: string | undefined; test_clock?: string | undefined },
): MerchantClock[] {
  if (test_clock !== undefined) return [theTestClock(engine, test_clock, merchant)]
  if (merchant !== undefined) return [mainClock(theMerchant(engine, merchant))]
  return [...engine.merchants.values()].map(mainClock)
}

/** Returns the clocks to act on. @throws ApiError parameter_missing, parameter_invalid, resource_missing */
function selectClocks(
  engine: Engine,
  { merchant, all, test_clock }: z.infer<ReturnType<typeof scopeParams>>,
): MerchantClock[] {
  if (all && (merchant !== undefined || test_clock !== undefined)) {
    throw parameterInvalid('all', 'Use all, or merchant and test_clock, not both')
  }
  if (all) return [...engine.merchants.values()].map(mainClock)
  if (test_clock !== undefined) return [theTestClock(engine, test_clock, merchant)]
  return [mainClock(theMerchant(engine, merchant))]
}

/** Returns a test clock of the given merchant, or else of any merchant. @throws ApiError resource_missing, param test_clock */
function theTestClock(engine: Engine, id: string, merchantId: string | undefined): MerchantClock {
  const merchants = merchantId === undefined ? engine.merchants.values() : [theMerchant(engine, merchantId)]
  for (const merchant of merchants) {
    const clock = merchant.testClocks.find(id)
    if (clock && !clock.isDeleted) return { merchant, clock }
  }
  throw resourceMissing('test clock', id, 'test_clock')
}

const present = ({ merchant, clock }: MerchantClock) =>
  clock.isTest ? presentTestClock(merchant.settings.id, clock) : presentClock(merchant)
