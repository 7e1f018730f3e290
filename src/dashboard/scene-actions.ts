import type { Merchant } from '../client/types.ts'
import { DASHBOARD_PATH } from '../http/dashboard/access.ts'
import { type PageContext, redirectTo } from './context.ts'
import { given } from './pager.tsx'

type Act = (context: PageContext, id: string) => Promise<string>

/** The actions of the page's forms, by their name in the path. Each returns the path to which the browser is redirected. */
const ACTIONS: Readonly<Record<string, Act>> = {
  faults: async (context) => {
    const { api, form, merchant } = context
    const kind = given(form, 'kind')
    const percent = given(form, 'percent')
    await api.post('faults', {
      kind,
      count: given(form, 'count'),
      // A value that is not a number is refused by the API.
      rate: percent === undefined ? undefined : toRate(percent),
      route: given(form, 'route'),
      ms: kind === 'latency' ? given(form, 'ms') : undefined,
      merchant: form.has('all') ? undefined : merchant.id,
    })
    return done(context, 'fault')
  },
  'remove-fault': async (context, id) => {
    await context.api.delete(`faults/${encodeURIComponent(id)}`)
    return done(context, 'fault-removed')
  },
  snapshots: async (context) => {
    await context.api.post('snapshots', { name: given(context.form, 'name') })
    return done(context, 'saved')
  },
  restore: async (context, id) => {
    await context.api.post(`snapshots/${encodeURIComponent(id)}/restore`)
    return done(context, 'restored')
  },
  'delete-snapshot': async (context, id) => {
    await context.api.delete(`snapshots/${encodeURIComponent(id)}`)
    return done(context, 'deleted')
  },
  'revoke-key': async (context, id) => {
    await context.api.post(`keys/${encodeURIComponent(id)}/revoke`)
    return done(context, 'revoked')
  },
  merchants: async ({ api, form }) => {
    const clock = given(form, 'clock')
    const { id } = await api.post<Merchant>('merchants', {
      name: given(form, 'name'),
      dialect: given(form, 'dialect'),
      // Browsers send times without a zone, and without seconds if they are zero.
      clock: clock === undefined ? undefined : `${clock}${clock.length === 16 ? ':00' : ''}Z`,
    })
    return `${DASHBOARD_PATH}/${encodeURIComponent(id)}/scenes?done=merchant`
  },
  'delete-merchant': async (context, id) => {
    await context.api.delete(`merchants/${encodeURIComponent(id)}`)
    return id === context.merchant.id ? DASHBOARD_PATH : done(context, 'merchant-deleted')
  },
  reset: async ({ api }) => {
    await api.post('reset')
    return DASHBOARD_PATH
  },
}

const toRate = (percent: string): string => String(Number(percent) / 100)

/** Runs the action of a form of the page. @returns undefined if there is no such form. @throws ApiError */
export function doScene(
  context: PageContext,
  verb: string,
  id: string | undefined,
): Promise<Response> | undefined {
  const act = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined
  return act?.(context, id ?? '').then(redirectTo)
}

/**
 * Returns the path of the page with a notice. If its merchant no longer exists after a restore, the browser gets the first
 * merchant instead.
 */
const done = ({ base }: PageContext, what: string): string => `${base}/scenes?done=${what}`
