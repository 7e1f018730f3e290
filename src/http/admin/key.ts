import { z } from 'zod'
import type { Engine } from '../../engine/engine.ts'
import type { KeyRing } from '../../engine/keys.ts'
import type { Json } from '../json.ts'
import { list } from '../pagination.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './site.ts'

const createParams = z.object({
  merchant: z.string().optional(),
  name: z.string().max(255).nullable().optional(),
  publishable: z.boolean().default(false),
  secret: z.string().optional(),
})
const listParams = z.object({ merchant: z.string().optional() })

/** Source: interface.md 5.4; operator.md, "Admin API". */
export function keyRoutes(add: AddRoute): void {
  add({ method: 'post', path: 'keys', params: createParams, status: 201 }, async ({ site, params }) => {
    const { key, secret } = await site.keys.issue({
      merchant: theMerchant(site.engine, params.merchant).settings.ordinal,
      type: params.publishable ? 'publishable' : 'secret',
      name: params.name ?? null,
      secret: params.secret,
    })
    return { ...presentKey(site.engine, key), secret }
  })
  add({ method: 'get', path: 'keys', params: listParams }, ({ c, site, params }) => {
    const owner = params.merchant && theMerchant(site.engine, params.merchant).settings.ordinal
    const keys = site.keys.list().filter(({ merchant }) => !owner || merchant === owner)
    return list(
      c.req.path,
      keys.map((key) => presentKey(site.engine, key)),
    )
  })
  add({ method: 'post', path: 'keys/:id/revoke' }, async ({ site, id }) =>
    presentKey(site.engine, await site.keys.revoke(id)),
  )
}

function presentKey(engine: Engine, key: ReturnType<KeyRing['list']>[number]): Json {
  const { id, type, name, hint, created, last_used, revoked } = key
  const merchant_id = engine.merchants.get(key.merchant)?.settings.id
  return { id, object: 'key', type, name, hint, created, last_used, revoked, livemode: false, merchant_id }
}
