import * as z from 'zod'
import type { KeyRing } from '../../engine/access/keys.ts'
import { deferred } from '../deferred.ts'
import { cursorOf, page, pageParams } from '../pagination.ts'
import { issuedKeySchema, type KeyShape, keyList, keySchema } from '../schemas/admin.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const createParams = deferred(() =>
  z.object({
    merchant: z.string().optional(),
    name: z.string().max(255).nullable().optional(),
    publishable: z.boolean().default(false),
    secret: z.string().optional(),
  }),
)
const listParams = deferred(() => z.object({ merchant: z.string().optional(), ...pageParams }))

export function keyRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'keys',
      summary: 'Creates an API key. The key is shown only in this response.',
      params: createParams,
      status: 201,
      returns: issuedKeySchema,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    async ({ services, sender, params }) => {
      const given = {
        merchant: theMerchant(services.engine, params.merchant).settings.ordinal,
        type: params.publishable ? 'publishable' : 'secret',
        name: params.name ?? null,
        secret: params.secret,
      } as const
      const { key, secret } = await services.keys.issue(given, sender)
      return { ...presentKey(services.keys, key), secret }
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
    ({ c, services, params }) => {
      const owner = params.merchant === undefined ? null : theMerchant(services.engine, params.merchant)
      const { limit } = params
      const cursor = cursorOf(params)
      const isBackward = cursor?.param === 'ending_before'
      const found = services.keys.page({
        owner,
        limit: limit + 1,
        cursor: cursor && { ...cursor, isBackward },
      })
      return page(c.req.path, found, { limit, isBackward }, (key) => presentKey(services.keys, key))
    },
  )
  add(
    {
      method: 'post',
      path: 'keys/:id/revoke',
      summary: 'Revokes an API key permanently.',
      returns: keySchema,
    },
    async ({ services, sender, id }) => {
      const key = await services.keys.revoke(id, sender)
      services.streams.closeOf(key.id)
      return presentKey(services.keys, key)
    },
  )
}

function presentKey(keys: KeyRing, key: ReturnType<KeyRing['list']>[number]): KeyShape {
  const { id, type, name, hint, created, last_used, revoked } = key
  const merchant_id = keys.ownerOf(key)?.settings.id
  return { id, object: 'key', type, name, hint, created, last_used, revoked, livemode: false, merchant_id }
}
