import * as z from 'zod'
import { createdCounts } from '../../engine/resources/created-counts.ts'
import { deferred } from '../deferred.ts'
import { healthSchema, type StatusShape, statusSchema } from '../schemas/admin.ts'
import { proofOf } from './guard.ts'
import { presentMerchant } from './merchant.ts'
import type { AddRoute, AdminServices } from './services.ts'

const healthParams = deferred(() =>
  z.object({
    nonce: z
      .string()
      .regex(/^[0-9a-f]{32,128}$/, { error: 'expected 32 to 128 hexadecimal digits' })
      .optional(),
  }),
)

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
    ({ services, params: { nonce } }) => {
      const proof = nonce && proofOf({ url: services.url(), token: services.adminToken }, nonce)
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
    ({ services }) => presentStatus(services),
  )
}

export const presentStatus = (services: AdminServices): StatusShape => ({
  object: 'status',
  url: services.url(),
  pid: process.pid,
  data: services.data,
  version: services.version,
  uptime: services.uptime(),
  merchants: [...services.engine.merchants.values()].map(presentMerchant),
  counts: createdCounts(services.engine),
  livemode: false,
})
