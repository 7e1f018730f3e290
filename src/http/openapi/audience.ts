import { isClosedToTokens } from '../oauth/token-caller.ts'
import type { Registered } from '../route.ts'
import { eventList } from '../schemas/event.ts'
import { operatorEventList } from '../schemas/operator-event.ts'

/** Returns whether a route accepts keys of merchants. */
export const isMerchants = ({ audience }: Pick<Registered, 'audience'>): boolean =>
  audience === 'merchant' || audience === 'public'

const isOAuth = ({ path }: Pick<Registered, 'path'>): boolean => path.startsWith('/v1/oauth/')

/** Returns whether a route supports idempotency keys. See docs/contract/idempotency.md#keys. */
export const storesResponses = (route: Registered): boolean =>
  isMerchants(route) && route.method !== 'get' && !isOAuth(route)

/** Returns whether a route has OAuth's error format. See docs/contract/oauth.md#errors. */
export const hasOAuthErrors = (route: Registered): boolean => isOAuth(route) && !route.isPage

/** Returns whether a route accepts access tokens. See docs/contract/oauth.md#access-tokens. */
export const takesTokens = (route: Registered): boolean => isMerchants(route) && !isClosedToTokens(route.path)

/** Returns whether a route requires the scope read_write. See docs/contract/oauth.md#scopes. */
export const requiresWriteScope = (route: Registered): boolean => takesTokens(route) && route.method !== 'get'

/** Returns whether a route streams events. See docs/contract/events-and-webhooks.md#event-streams. */
export const streamsEvents = ({ streams, returns }: Registered): boolean =>
  streams === true && (returns === eventList || returns === operatorEventList)
