import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { livemode, seconds, text } from './fields.ts'

export const dashboardLinkSchema = component('DashboardLink', () =>
  z
    .object({
      object: z.literal('dashboard_link').describe('The type of the object.'),
      url: text('The url to open in a browser. It works once.'),
      expires_at: seconds('The time until which it works, on the wall clock'),
      livemode: livemode(),
    })
    .describe('A link that opens the dashboard in one browser.'),
)
export type DashboardLinkShape = Shape<typeof dashboardLinkSchema>
