import { isClosedToTokens } from '../oauth/token-caller.ts'
import type { Registered } from '../route.ts'

/** Whether merchants call a route with their keys, and browsers may do so too. */
export const isMerchants = ({ audience }: Pick<Registered, 'audience'>): boolean =>
  audience === 'merchant' || audience === 'public'

const isOAuth = ({ path }: Pick<Registered, 'path'>): boolean => path.startsWith('/v1/oauth/')

/** Whether it answers again what it answered under an idempotency key. See docs/contract/idempotency.md#keys. */
export const keepsAnswers = (route: Registered): boolean =>
  isMerchants(route) && route.method !== 'get' && !isOAuth(route)

/** Whether it tells of errors as OAuth does. See docs/contract/oauth.md#errors. */
export const tellsAsOAuth = (route: Registered): boolean => isOAuth(route) && !route.isPage

/** Whether an app with an access token may call it. See docs/contract/oauth.md#access-tokens. */
export const takesTokens = (route: Registered): boolean => isMerchants(route) && !isClosedToTokens(route.path)

/** Whether its access token must be one that may write. See docs/contract/oauth.md#scopes. */
export const wantsScope = (route: Registered): boolean => takesTokens(route) && route.method !== 'get'
