import * as z from 'zod'
import { endsOf } from '../dashboard/connection.ts'
import { deferred } from '../deferred.ts'
import { dashboardLinkSchema } from '../schemas/dashboard.ts'
import type { AddRoute } from './services.ts'

const params = deferred(() => z.object({ only_this_user: z.boolean().optional() }))

/** Registers the route for links to the dashboard. See docs/contract/operator.md#dashboard. */
export function dashboardAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'dashboard/links',
      summary: 'Creates a link that opens the dashboard in a browser. It works once, within an hour.',
      params,
      status: 201,
      returns: dashboardLinkSchema,
    },
    ({ c, services, params: { only_this_user } }) => {
      const { url, expires } = services.access.createLink(only_this_user ? endsOf(c) : null)
      return { object: 'dashboard_link' as const, url, expires_at: expires, livemode: false }
    },
  )
}
