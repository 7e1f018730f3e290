import type { Clock, List, Merchant, Status } from '../client/types.ts'
import { DASHBOARD_PATH } from '../http/dashboard/access.ts'
import type { DashboardRequest } from '../http/dashboard/pages.ts'
import type { Advances } from './advances.ts'

/** A clock, with its name if it is a test clock that has one. */
export type TestClock = Clock & { readonly name?: string | null }

/** A request for a page of a merchant. */
export type PageContext = Omit<DashboardRequest, 'path'> & {
  /** The last advance of each clock. */
  readonly advances: Advances
  readonly merchant: Merchant
  readonly merchants: readonly Merchant[]
  /** The clocks of the merchant that are advancing, test clocks too. */
  readonly advancing: readonly TestClock[]
  readonly version: string
  /** The address of the daemon. */
  readonly url: string
  /** The path of the merchant's overview, below which all its pages are. */
  readonly base: string
  /** The name of the section, empty for the overview; and the further parts of the path. */
  readonly section: string
  readonly rest: readonly string[]
}

/** Shows the pages of a section. @returns undefined if there is no such page */
export type Section = (context: PageContext) => Promise<Response> | undefined

/** Finds the merchant of a request. Without one, redirects to the chosen or the first merchant; undefined if there is none. */
export async function contextOf({
  path: [id, section = '', ...rest],
  ...request
}: DashboardRequest & Pick<PageContext, 'advances'>): Promise<PageContext | Response | undefined> {
  const { merchants, version, url } = await request.api.get<Status>('status')
  const chosen = id ?? request.query.get('merchant')
  const merchant = merchants.find((each) => each.id === chosen)
  if (merchant && id !== undefined) {
    const { data: advancing } = await request.api.get<List<TestClock>>('clock', {
      merchant: merchant.id,
      advancing: true,
    })
    const base = pathOfMerchant(merchant.id)
    return { ...request, merchant, merchants, advancing, version, url, base, section, rest }
  }
  const target = merchant ?? merchants[0]
  return target && redirectTo(pathOfMerchant(target.id))
}

const pathOfMerchant = (id: string): string => `${DASHBOARD_PATH}/${encodeURIComponent(id)}`

/** The path of the admin API for a path of /v1 as the merchant: `v1Of(context, 'invoices')`. */
export const v1Of = ({ merchant }: Pick<PageContext, 'merchant'>, path: string): string =>
  `merchants/${encodeURIComponent(merchant.id)}/v1/${path}`

/** Sends the browser to another page of the dashboard, with GET. */
export const redirectTo = (path: string): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: path, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  })
