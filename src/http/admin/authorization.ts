import { z } from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import type { MerchantState } from '../../engine/merchant-state.ts'
import {
  askedMerchant,
  decideFor,
  findAuthorization,
  listAuthorizations,
} from '../../engine/oauth-authorization.ts'
import { presentAuthorization, presentDecision } from '../oauth/authorization.ts'
import { cursorOf, page, pageParams } from '../pagination.ts'
import { authorizationList, decisionSchema } from '../schemas/oauth.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './site.ts'

const listParams = z.object(pageParams)
const decideParams = z.object({ merchant: z.string().optional() })

/** Decisions for merchants, without a browser. */
export function authorizationAdminRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'authorizations',
      summary: 'Lists what apps asked merchants for, and what was decided, the newest first.',
      params: listParams,
      returns: authorizationList,
    },
    ({ c, site, params }) => {
      const { limit } = params
      const cursor = cursorOf(params)
      const isBackward = cursor?.param === 'ending_before'
      const found = listAuthorizations(site.engine, {
        limit: limit + 1,
        cursor: cursor && { ...cursor, isBackward },
      })
      return page(c.req.path, found, { limit, isBackward }, (authorization) =>
        presentAuthorization(site.engine, authorization),
      )
    },
  )
  add(
    {
      method: 'post',
      path: 'authorizations/:id/approve',
      summary: 'Lets an app in on behalf of a merchant.',
      params: decideParams,
      returns: decisionSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    async ({ site, params, id }) => {
      const merchant =
        whoIsAsked(site.engine, id, params.merchant) ?? theMerchant(site.engine, params.merchant)
      return presentDecision(await decideFor(site.engine, id, { decision: 'approve', merchant }))
    },
  )
  add(
    {
      method: 'post',
      path: 'authorizations/:id/deny',
      summary: 'Does not let an app in, on behalf of the merchant that is asked.',
      params: decideParams,
      returns: decisionSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    async ({ site, params, id }) => {
      const named = params.merchant === undefined ? null : theMerchant(site.engine, params.merchant)
      const merchant = whoIsAsked(site.engine, id, params.merchant) ?? named
      return presentDecision(await decideFor(site.engine, id, { decision: 'deny', merchant }))
    },
  )
}

/**
 * The merchant that was asked; undefined when a page asks, and any can decide.
 * @throws ApiError resource_missing; parameter_invalid, param id, when it is not there now; param merchant, when another one is named
 */
function whoIsAsked(engine: Engine, id: string, named: string | undefined): MerchantState | undefined {
  const authorization = findAuthorization(engine, id)
  if (authorization.merchant === null) return undefined
  const merchant = askedMerchant(engine, authorization)
  if (!merchant)
    throw parameterInvalid('id', 'The merchant that is asked is not there in the state that was restored')
  if (named !== undefined && named !== merchant.settings.id) {
    throw parameterInvalid('merchant', `The merchant that is asked is ${merchant.settings.id}`)
  }
  return merchant
}
