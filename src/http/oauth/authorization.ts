import { z } from 'zod'
import { resourceMissing } from '../../core/errors.ts'
import type { Engine } from '../../engine/engine.ts'
import {
  type Authorization,
  askedMerchant,
  type Decided,
  decide,
  findAuthorization,
  makeAuthorization,
} from '../../engine/oauth-authorization.ts'
import type { Api, WriteCall } from '../api.ts'
import { omittableText, reference, text } from '../fields.ts'
import {
  type AuthorizationShape,
  authorizationSchema,
  type DecisionShape,
  decisionSchema,
} from '../schemas/oauth.ts'
import { askedOf, askerOf } from './asked.ts'
import { withoutEmpty } from './client-api.ts'

const createParams = z.object({
  client_id: reference,
  redirect_uri: text,
  response_type: omittableText,
  scope: omittableText,
  state: omittableText,
  code_challenge: omittableText,
  code_challenge_method: omittableText,
})

/**
 * What the consent page does, for those who have a key and no browser.
 * See docs/contract/oauth.md#authorizations-without-a-browser.
 */
export function authorizationRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/oauth/authorizations',
      summary: 'Asks the merchant of the key to let an app in, as the page does without a browser.',
      params: createParams,
      status: 201,
      returns: authorizationSchema,
      errors: { 400: ['invalid_scope'], 404: ['resource_missing'] },
    },
    ({ site, merchant, params }) => {
      const { client_id, redirect_uri, response_type = 'code', ...request } = params
      const asker = askerOf(site.engine, client_id, redirect_uri)
      const asked = askedOf(asker, { response_type, ...withoutEmpty(request) })
      const made = makeAuthorization(site.engine, asked, { merchant: merchant.settings, seal: null })
      return presentAuthorization(site.engine, made)
    },
  )
  for (const [decision, summary] of [
    ['approve', 'Lets the app in: answers where its code is to be sent.'],
    ['deny', 'Does not let the app in: answers where that is to be told.'],
  ] as const) {
    api.write(
      {
        method: 'post',
        path: `/v1/oauth/authorizations/:id/${decision}`,
        summary,
        returns: decisionSchema,
        errors: { 400: ['invalid_state_transition'] },
      },
      (call) => {
        checkOwn(call)
        const { site, merchant, id } = call
        return presentDecision(decide(site.engine, id, { decision, merchant }))
      },
    )
  }
}

/** What a page asks belongs to nobody yet: a merchant decides on what it was asked itself. @throws ApiError resource_missing */
function checkOwn({ site: { engine }, merchant, id }: WriteCall<unknown>): void {
  if (askedMerchant(engine, findAuthorization(engine, id)) !== merchant)
    throw resourceMissing('authorization', id)
}

export const presentAuthorization = (engine: Engine, authorization: Authorization): AuthorizationShape => {
  const { id, app, redirect_uri, scope, status, created, expires, revoked } = authorization
  return {
    id,
    object: 'authorization',
    client_id: app,
    redirect_uri,
    scope,
    status,
    created,
    expires_at: expires,
    revoked,
    livemode: false,
    merchant_id: askedMerchant(engine, authorization)?.settings.id ?? null,
  }
}

export const presentDecision = ({ status, redirect_to }: Decided): DecisionShape => ({
  status,
  redirect_to,
  livemode: false,
})
