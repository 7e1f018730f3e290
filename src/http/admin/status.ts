import { healthSchema, type StatusShape, statusSchema } from '../schemas/admin.ts'
import { presentMerchant } from './merchant.ts'
import type { AddRoute, AdminSite } from './site.ts'

/** Source: operator.md, "Daemon" (`status`, health). */
export function statusRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'health',
      summary: 'Says that the daemon answers, to everybody.',
      isOpen: true,
      returns: healthSchema,
    },
    () => ({ status: 'ok' as const, livemode: false }),
  )
  add(
    {
      method: 'get',
      path: 'status',
      summary: 'Tells where the daemon runs, on what, and with how much in it.',
      returns: statusSchema,
    },
    ({ site }) => presentStatus(site),
  )
}

export const presentStatus = (site: AdminSite): StatusShape => ({
  object: 'status',
  url: site.url(),
  pid: process.pid,
  data: site.data,
  version: site.version,
  uptime: Math.floor((site.engine.wall() - site.startedAt) / 1000),
  merchants: [...site.engine.merchants.values()].map(presentMerchant),
  counts: site.engine.counts(),
  livemode: false,
})
