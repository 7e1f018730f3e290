import * as z from 'zod'
import { healthSchema, type StatusShape, statusSchema } from '../schemas/admin.ts'
import { proofOf } from './guard.ts'
import { presentMerchant } from './merchant.ts'
import type { AddRoute, AdminServices } from './services.ts'

const healthParams = z.object({
  nonce: z
    .string()
    .regex(/^[0-9a-f]{32,128}$/, { error: 'expected 32 to 128 hexadecimal digits' })
    .optional(),
})

export function statusRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'health',
      summary: 'Reports that the daemon runs. With a nonce, proves that it knows the admin token.',
      isOpen: true,
      params: healthParams,
      returns: healthSchema,
    },
    ({ site, params: { nonce } }) => {
      const proof = nonce && proofOf({ url: site.url(), token: site.adminToken }, nonce)
      return { status: 'ok' as const, ...(proof !== undefined && { proof }), livemode: false }
    },
  )
  add(
    {
      method: 'get',
      path: 'status',
      summary: 'Shows the url, version, data folder, merchants and object counts of the daemon.',
      returns: statusSchema,
    },
    ({ site }) => presentStatus(site),
  )
}

export const presentStatus = (site: AdminServices): StatusShape => ({
  object: 'status',
  url: site.url(),
  pid: process.pid,
  data: site.data,
  version: site.version,
  uptime: site.uptime(),
  merchants: [...site.engine.merchants.values()].map(presentMerchant),
  counts: site.engine.counts(),
  livemode: false,
})
