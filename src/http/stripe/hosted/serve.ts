import type { Context } from 'hono'
import { parameterInvalid, resourceMissing } from '../../../core/errors.ts'
import { type CurrentView, currentView } from '../../../engine/history/view.ts'
import { requestId } from '../../../engine/machine/ids.ts'
import { type MerchantState, StateReplaced } from '../../../engine/machine/merchant-state.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import { findMerchant, merchantOfObject } from '../../../engine/resources/merchant.ts'
import { checkHost } from '../../admin/guard.ts'
import type { AdminServices } from '../../admin/services.ts'
import { formOf, refuseTooMany } from '../../form.ts'
import { HeldBody, keylessOwnersOf } from '../../held-body.ts'
import { refuseClosed, turnToParse, turnToRead } from '../../read-turn.ts'
import { readBody } from '../../request.ts'
import { knownError } from '../../respond.ts'
import { type PageOf, refusedPage } from './frame.tsx'

/** paytwin: the maximum size of a form. The fields are few and short. */
const MAX_FORM_BYTES = 20_000

/** paytwin: what a command of a page counts, in bytes: about what it takes while it waits. */
const PAGE_BYTES = 2 ** 15

/** The headers with which browsers mark a prefetch. */
const PREFETCH_HEADERS = ['sec-purpose', 'purpose', 'x-moz']

/** A request from a browser to a page for customers. */
export type HostedRequest = {
  readonly services: AdminServices
  /** The environment of the server. */
  readonly env: unknown
  /** Finds the merchant whose page has this address. @throws ApiError resource_missing */
  readonly merchant: () => MerchantState
  /** Returns a part of the path; empty if the path has no such part. */
  readonly param: (name: string) => string
  readonly query: URLSearchParams
  /** The submitted form; null if the page is only requested. */
  readonly form: URLSearchParams | null
  /** Whether the request is a prefetch or a HEAD request: nobody has opened the page yet. */
  readonly isPrefetch: boolean
}

/**
 * Serves a page, or its form. Shows errors as a page.
 * A form is accepted only from the page's own origin. Other sites can neither submit it nor show the page in a frame.
 */
export async function servePage(
  c: Context,
  services: AdminServices,
  page: (request: HostedRequest) => Response | Promise<Response>,
): Promise<Response> {
  try {
    checkHost(c, services)
    const param = (name: string) => c.req.param(name) ?? ''
    const merchant = () => merchantAt(services, param)
    return await inOneState(page, {
      services,
      env: c.env,
      merchant,
      param,
      get query() {
        return new URL(c.req.url).searchParams
      },
      isPrefetch: PREFETCH_HEADERS.some((name) => c.req.header(name)?.includes('prefetch')),
      form: c.req.method === 'POST' ? formOf(await readForm(c, services, merchant())) : null,
    })
  } catch (error) {
    const { status, message } = knownError(services, error, `${c.req.method} ${c.req.path}`)
    return refusedPage(status, message)
  }
}

/** Serves a page, and again with the new state if a restore or reset replaced the state before its command ran. */
async function inOneState(
  page: (request: HostedRequest) => Response | Promise<Response>,
  request: HostedRequest,
): Promise<Response> {
  for (;;) {
    try {
      return await page(request)
    } catch (error) {
      if (!(error instanceof StateReplaced)) throw error
    }
  }
}

/** Finds the merchant whose page has an address. The address of a Checkout page has only the session. */
function merchantAt({ engine }: AdminServices, param: HostedRequest['param']): MerchantState {
  const named = param('merchant')
  if (named !== '') return findMerchant(engine, named)
  const session = param('id')
  const merchant = merchantOfObject(engine, 'checkout_session', session)
  if (!merchant) throw resourceMissing('checkout session', session)
  return merchant
}

/** Returns the current objects of a merchant, after the jobs that are due, in a turn to read. */
export async function currentObjects(
  { services, env }: HostedRequest,
  merchant: MerchantState,
): Promise<CurrentView> {
  await turnToRead(services, merchant, env, keylessOwnersOf(merchant).visitors)
  return viewOf(services, merchant)
}

/**
 * Runs a command of a customer, without a key and without idempotency. While it waits, such as for an advance, it counts against the
 * limits of bodies. A page that is only shown needs no command any more if its connection was closed.
 * @throws ApiError rate_limit if there is no room for it, or for a page whose connection was closed
 */
export async function runCommand<T>(
  { services, env, form }: Pick<HostedRequest, 'services' | 'env' | 'form'>,
  merchant: MerchantState,
  work: (unit: UnitOfWork) => T,
): Promise<T> {
  const held = new HeldBody(services, env, () => keylessOwnersOf(merchant).visitors)
  try {
    held.reserve(PAGE_BYTES)
    return await services.engine.command(merchant, { id: requestId(), idempotency_key: null }, (unit) => {
      if (form === null) refuseClosed(env)
      return work(unit)
    })
  } finally {
    held.release()
  }
}

export const viewOf = ({ engine }: Pick<AdminServices, 'engine'>, { settings }: MerchantState): CurrentView =>
  currentView({ store: engine.store, ids: engine.ids, url: engine.url, merchant: settings })

/**
 * Returns the merchant's name and the time, which every page shows.
 * @param testClock - the test clock of the customer, if it has one
 */
export const pageOf = ({ settings, clock, testClocks }: MerchantState, testClock: string | null): PageOf => ({
  merchant: settings.name,
  now: ((testClock === null ? undefined : testClocks.find(testClock)) ?? clock).now,
})

/**
 * Reads a form. Forms of other origins are refused before, and a form without an origin here. It is parsed in a turn of the
 * merchant, but counts among the bodies of its visitors: they must not use up the merchant's share.
 * @throws ApiError
 */
async function readForm(c: Context, services: AdminServices, merchant: MerchantState): Promise<string> {
  if (c.req.header('origin') === undefined)
    throw parameterInvalid('Origin', 'The form must come from the page')
  const held = new HeldBody(services, c.env, () => keylessOwnersOf(merchant).visitors)
  try {
    const turn = () => turnToParse(services, merchant, c.env)
    const text = await readBody(c, MAX_FORM_BYTES, { add: held.add, turn })
    refuseTooMany(text, 'form')
    return text
  } finally {
    held.release()
  }
}
