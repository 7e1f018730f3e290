import * as z from 'zod'
import { resourceMissing } from '../../core/errors.ts'
import {
  type Authorization,
  type DecisionResult,
  decide,
  findAuthorization,
  makeAuthorization,
  merchantOfAuthorization,
} from '../../engine/access/oauth-authorization.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { Api, WriteCall } from '../api.ts'
import { deferred } from '../deferred.ts'
import { omittableText, reference, text } from '../fields.ts'
import {
  type AuthorizationShape,
  authorizationSchema,
  type DecisionShape,
  decisionSchema,
} from '../schemas/oauth.ts'
import { authorizationRequest, requestingApp } from './authorization-request.ts'
import { withoutEmpty } from './client-api.ts'

const createParams = deferred(() =>
  z.object({
    client_id: reference,
    redirect_uri: text,
    response_type: omittableText,
    scope: omittableText,
    state: omittableText,
    code_challenge: omittableText,
    code_challenge_method: omittableText,
  }),
)

/**
 * Registers the routes that replace the consent page for callers with a key and without a browser.
 * See docs/contract/oauth.md#authorizations-without-a-browser.
 */
export function authorizationRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/oauth/authorizations',
      summary: 'Creates an OAuth authorization for the merchant of the key, without a browser.',
      params: createParams,
      status: 201,
      returns: authorizationSchema,
      errors: { 400: ['invalid_scope'], 404: ['resource_missing'] },
    },
    ({ services, merchant, params }) => {
      const { client_id, redirect_uri, response_type = 'code', ...request } = params
      const app = requestingApp(services.engine, client_id, redirect_uri)
      const checked = authorizationRequest(app, { response_type, ...withoutEmpty(request) })
      const authorization = makeAuthorization(services.engine, checked, {
        merchant: merchant.settings,
        seal: null,
      })
      return presentAuthorization(services.engine, authorization)
    },
  )
  for (const [decision, summary] of [
    ['approve', 'Approves an OAuth authorization. The response has the redirect uri with the code.'],
    ['deny', 'Denies an OAuth authorization. The response has the redirect uri with the error.'],
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
        const { services, merchant, id } = call
        return presentDecision(decide(services.engine, id, { decision, merchant }))
      },
    )
  }
}

/** Checks that an authorization belongs to the merchant. One of the consent page has no merchant yet. @throws ApiError resource_missing */
function checkOwn({ services: { engine }, merchant, id }: WriteCall<unknown>): void {
  if (merchantOfAuthorization(engine, findAuthorization(engine, id)) !== merchant)
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
    merchant_id: merchantOfAuthorization(engine, authorization)?.settings.id ?? null,
  }
}

export const presentDecision = ({ status, redirect_to }: DecisionResult): DecisionShape => ({
  status,
  redirect_to,
  livemode: false,
})
