import * as z from 'zod'
import { SCOPES } from '../../core/oauth.ts'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, seconds, text } from './fields.ts'

const scope = (description: string) => z.enum(SCOPES).describe(description)

export const oauthTokens = component('OAuthTokens', () =>
  z
    .object({
      access_token: text('The access token, sent as Bearer instead of a secret key. Begins with oat_test_.'),
      token_type: z.literal('bearer').describe('Always bearer.'),
      expires_in: z.int().describe("The lifetime of the access token, in seconds of the merchant's clock."),
      refresh_token: text('The refresh token. Can be exchanged once, within a year. Begins with ort_test_.'),
      scope: scope('The granted scope.'),
      merchant_id: text('The merchant that authorized the app.'),
      livemode: livemode(),
    })
    .describe('An access token, and a refresh token to replace it.'),
)
export type OAuthTokensShape = Shape<typeof oauthTokens>

/** The response to a revocation, the same for an unknown token. See docs/contract/oauth.md#revoking; RFC 7009 2.2. */
export const oauthRevocation = component('OAuthRevocation', () =>
  z.object({ livemode: livemode() }).describe('The response to a revocation.'),
)

export const authorizationSchema = component('Authorization', () =>
  z
    .object({
      id: text('The id, which begins with oauthz_.'),
      object: z.literal('authorization').describe('The type of the object.'),
      client_id: text('The id of the app.'),
      redirect_uri: text('The uri that receives the decision.'),
      scope: scope('The requested scope.'),
      status: z
        .enum(['pending', 'approved', 'denied', 'expired'])
        .describe('The status. A pending authorization expires after ten minutes.'),
      created: seconds('The time of the request, on the wall clock'),
      expires_at: seconds('The time at which a pending authorization expires, on the wall clock'),
      revoked: seconds('When its tokens were revoked, on the wall clock; null if not revoked').nullable(),
      livemode: livemode(),
      merchant_id: text(
        'The merchant; null until a merchant decides on the consent page, and if the merchant does not exist in a restored snapshot.',
      ).nullable(),
    })
    .describe('An authorization request of an app, with its decision.'),
)
export type AuthorizationShape = Shape<typeof authorizationSchema>
export const authorizationList = listOf(authorizationSchema)

export const decisionSchema = component('AuthorizationDecision', () =>
  z
    .object({
      status: z.enum(['approved', 'denied']).describe('The decision.'),
      redirect_to: text('The redirect_uri of the app, with the code or an error.'),
      livemode: livemode(),
    })
    .describe('The decision of a merchant on an authorization request.'),
)
export type DecisionShape = Shape<typeof decisionSchema>

export const consentPage = component('ConsentPage', () =>
  z.string().describe('An HTML page: the consent page, or an error.'),
)

const appFields = () => ({
  id: text('The id, which begins with app_.'),
  object: z.literal('app').describe('The type of the object.'),
  client_id: text('The same as id, under its OAuth name.'),
  name: text('The name that the consent page shows.'),
  redirect_uris: z.array(z.string()).describe('The allowed redirect uris, compared character by character.'),
  created: seconds('The time of creation, on the wall clock'),
  livemode: livemode(),
})

const appSchema = component('App', () =>
  z.object(appFields()).describe('An OAuth app: a client that merchants can authorize.'),
)
export type AppShape = Shape<typeof appSchema>
export const appList = listOf(appSchema)
export const issuedAppSchema = component('IssuedApp', () =>
  z
    .object({ ...appFields(), client_secret: text('The secret, shown only in this response.') })
    .describe('An OAuth app with its new secret.'),
)
export type IssuedAppShape = Shape<typeof issuedAppSchema>
export const deletedApp = deletedStub('DeletedApp', 'app')
