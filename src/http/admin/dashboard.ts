import { dashboardLinkSchema } from '../schemas/dashboard.ts'
import type { AddRoute } from './services.ts'

/** Registers the route for links to the dashboard. See docs/contract/operator.md#dashboard. */
export function dashboardAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'dashboard/links',
      summary: 'Creates a link that opens the dashboard in a browser. It works once, within an hour.',
      status: 201,
      returns: dashboardLinkSchema,
    },
    ({ services }) => {
      const { url, expires } = services.access.createLink()
      return { object: 'dashboard_link' as const, url, expires_at: expires, livemode: false }
    },
  )
}
