import * as z from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import {
  decideAs,
  findAuthorization,
  listAuthorizations,
  merchantOfAuthorization,
} from '../../engine/access/oauth-authorization.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { deferred } from '../deferred.ts'
import { presentAuthorization, presentDecision } from '../oauth/authorization.ts'
import { cursorOf, page, pageParams } from '../pagination.ts'
import { authorizationList, decisionSchema } from '../schemas/oauth.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const listParams = deferred(() => z.object(pageParams))
const decideParams = deferred(() => z.object({ merchant: z.string().optional() }))

/** Registers the routes to decide authorizations without a browser. */
export function authorizationAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'authorizations',
      summary: 'Lists OAuth authorizations, newest first.',
      params: listParams,
      returns: authorizationList,
    },
    ({ c, services, params }) => {
      const { limit } = params
      const cursor = cursorOf(params)
      const isBackward = cursor?.param === 'ending_before'
      const found = listAuthorizations(services.engine, {
        limit: limit + 1,
        cursor: cursor && { ...cursor, isBackward },
      })
      return page(c.req.path, found, { limit, isBackward }, (authorization) =>
        presentAuthorization(services.engine, authorization),
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'authorizations/:id/approve',
      summary: 'Approves an OAuth authorization for a merchant.',
      params: decideParams,
      returns: decisionSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    async ({ services, sender, params, id }) => {
      const merchant =
        merchantOf(services.engine, id, params.merchant) ?? theMerchant(services.engine, params.merchant)
      return presentDecision(await decideAs(services.engine, id, { decision: 'approve', merchant }, sender))
    },
  )
  add(
    {
      method: 'post',
      path: 'authorizations/:id/deny',
      summary: 'Denies an OAuth authorization.',
      params: decideParams,
      returns: decisionSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    async ({ services, sender, params, id }) => {
      const named = params.merchant === undefined ? null : theMerchant(services.engine, params.merchant)
      const merchant = merchantOf(services.engine, id, params.merchant) ?? named
      return presentDecision(await decideAs(services.engine, id, { decision: 'deny', merchant }, sender))
    },
  )
}

/**
 * Returns the merchant of an authorization; undefined if it comes from the consent page, where any merchant can decide.
 * @throws ApiError resource_missing; parameter_invalid, param id, if the merchant no longer exists; param merchant, if another
 *   merchant is named
 */
function merchantOf(engine: Engine, id: string, named: string | undefined): MerchantState | undefined {
  const authorization = findAuthorization(engine, id)
  if (authorization.merchant === null) return undefined
  const merchant = merchantOfAuthorization(engine, authorization)
  if (!merchant)
    throw parameterInvalid('id', 'The merchant of this authorization does not exist in the restored snapshot')
  if (named !== undefined && named !== merchant.settings.id) {
    throw parameterInvalid('merchant', `The merchant of this authorization is ${merchant.settings.id}`)
  }
  return merchant
}
