import { presentMerchant } from './merchant.ts'
import type { AddRoute } from './site.ts'

/** Source: operator.md, "Daemon" (`status`, health). */
export function statusRoutes(add: AddRoute): void {
  add({ method: 'get', path: 'health', isOpen: true }, () => ({ status: 'ok' }))
  add({ method: 'get', path: 'status' }, ({ site }) => ({
    object: 'status',
    url: site.url(),
    pid: process.pid,
    data: site.data,
    version: site.version,
    uptime: Math.floor((site.engine.wall() - site.startedAt) / 1000),
    merchants: [...site.engine.merchants.values()].map(presentMerchant),
    counts: site.engine.counts(),
    livemode: false,
  }))
}
