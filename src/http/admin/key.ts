import * as z from 'zod'
import type { KeyRing } from '../../engine/keys.ts'
import { list } from '../pagination.ts'
import { issuedKeySchema, type KeyShape, keyList, keySchema } from '../schemas/admin.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const createParams = z.object({
  merchant: z.string().optional(),
  name: z.string().max(255).nullable().optional(),
  publishable: z.boolean().default(false),
  secret: z.string().optional(),
})
const listParams = z.object({ merchant: z.string().optional() })

export function keyRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'keys',
      summary: 'Creates an API key. The key is shown only in this answer.',
      params: createParams,
      status: 201,
      returns: issuedKeySchema,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    async ({ site, params }) => {
      const { key, secret } = await site.keys.issue({
        merchant: theMerchant(site.engine, params.merchant).settings.ordinal,
        type: params.publishable ? 'publishable' : 'secret',
        name: params.name ?? null,
        secret: params.secret,
      })
      return { ...presentKey(site.keys, key), secret }
    },
  )
  add(
    {
      method: 'get',
      path: 'keys',
      summary: 'Lists API keys, newest first, revoked ones included.',
      params: listParams,
      returns: keyList,
    },
    ({ c, site, params }) => {
      const owner = params.merchant === undefined ? null : theMerchant(site.engine, params.merchant)
      const keys = site.keys.list().filter((key) => owner === null || site.keys.ownerOf(key) === owner)
      return list(
        c.req.path,
        keys.map((key) => presentKey(site.keys, key)),
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'keys/:id/revoke',
      summary: 'Revokes an API key permanently.',
      returns: keySchema,
    },
    async ({ site, id }) => {
      const key = await site.keys.revoke(id)
      site.streams.closeOf(key.id)
      return presentKey(site.keys, key)
    },
  )
}

function presentKey(keys: KeyRing, key: ReturnType<KeyRing['list']>[number]): KeyShape {
  const { id, type, name, hint, created, last_used, revoked } = key
  const merchant_id = keys.ownerOf(key)?.settings.id
  return { id, object: 'key', type, name, hint, created, last_used, revoked, livemode: false, merchant_id }
}
