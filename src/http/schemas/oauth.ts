import { z } from 'zod'
import { SCOPES } from '../../core/oauth.ts'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, seconds, text } from './fields.ts'

const scope = (words: string) => z.enum(SCOPES).describe(words)

export const oauthTokens = component('OAuthTokens', () =>
  z
    .object({
      access_token: text('Goes in as Bearer in place of a secret key. It begins with oat_test_.'),
      token_type: z.literal('bearer').describe('How the access token is sent.'),
      expires_in: z.int().describe("For how many seconds of the merchant's clock the access token opens."),
      refresh_token: text('Is exchanged for new tokens, once, within a year. It begins with ort_test_.'),
      scope: scope('What the access token may do.'),
      merchant_id: text('The merchant that let the app in.'),
      livemode: livemode(),
    })
    .describe('What lets an app in: an access token, and a refresh token for when that has expired.'),
)
export type OAuthTokensShape = Shape<typeof oauthTokens>

/** See docs/contract/oauth.md#revoking; RFC 7009 2.2: it does not tell whether there was anything to revoke. */
export const oauthRevocation = component('OAuthRevocation', () =>
  z.object({ livemode: livemode() }).describe('That the token opens nothing, if it ever did.'),
)

export const authorizationSchema = component('Authorization', () =>
  z
    .object({
      id: text('Its identifier, which begins with oauthz_.'),
      object: z.literal('authorization').describe('What kind of object this is.'),
      client_id: text('The app that asks.'),
      redirect_uri: text('Where the app hears of the decision.'),
      scope: scope('What the app asks to be allowed.'),
      status: z
        .enum(['pending', 'approved', 'denied', 'expired'])
        .describe('What was decided; undecided after ten minutes it has expired.'),
      created: seconds('When the app asked, on the wall clock'),
      expires_at: seconds('Until when it can be decided, on the wall clock'),
      revoked: seconds(
        'When all that was granted with it was revoked, on the wall clock; null while it was not',
      ).nullable(),
      livemode: livemode(),
      merchant_id: text(
        'The merchant that is asked; null while a page asks and nobody has decided, and while the state that was restored does not have it.',
      ).nullable(),
    })
    .describe('What an app asks a merchant for, and what was decided.'),
)
export type AuthorizationShape = Shape<typeof authorizationSchema>
export const authorizationList = listOf(authorizationSchema)

export const decisionSchema = component('AuthorizationDecision', () =>
  z
    .object({
      status: z.enum(['approved', 'denied']).describe('What was decided.'),
      redirect_to: text('Where the app hears of it: its redirect_uri, with the code or with an error.'),
      livemode: livemode(),
    })
    .describe('What a merchant decided about an app.'),
)
export type DecisionShape = Shape<typeof decisionSchema>

export const consentPage = component('ConsentPage', () =>
  z.string().describe('A page in HTML that asks a merchant whether to let an app in, or says why it cannot.'),
)

const appFields = () => ({
  id: text('Its identifier, which begins with app_.'),
  object: z.literal('app').describe('What kind of object this is.'),
  client_id: text('Its identifier again, as OAuth calls it.'),
  name: text('What merchants are told that it is called.'),
  redirect_uris: z
    .array(z.string())
    .describe('Where its merchants may be sent back to, compared letter by letter.'),
  created: seconds('When it was made, on the wall clock'),
  livemode: livemode(),
})

const appSchema = component('App', () =>
  z.object(appFields()).describe('An app that merchants can let in: a client of OAuth.'),
)
export type AppShape = Shape<typeof appSchema>
export const appList = listOf(appSchema)
export const issuedAppSchema = component('IssuedApp', () =>
  z
    .object({ ...appFields(), client_secret: text('Its secret, which is shown this once.') })
    .describe('An app whose secret was just made.'),
)
export type IssuedAppShape = Shape<typeof issuedAppSchema>
export const deletedApp = deletedStub('DeletedApp', 'app')
