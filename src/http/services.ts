import type { IdempotencyKeys } from '../engine/access/idempotency.ts'
import type { KeyRing } from '../engine/access/keys.ts'
import type { Engine } from '../engine/machine/engine.ts'
import type { Faults } from '../engine/machine/faults.ts'
import type { CallerCache } from './caller.ts'
import type { ExpandField } from './expand.ts'
import type { HeldBodies } from './held-bodies.ts'
import type { Inbox } from './inbox.ts'
import type { OAuthErrorForm } from './oauth/error-form.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RequestLog } from './request-log.ts'
import type { EventStreams } from './stream.ts'
import type { VersionHistory } from './versions.ts'

/** The services and settings that the HTTP layer uses. */
export type HttpServices = {
  readonly engine: Engine
  readonly keys: KeyRing
  readonly callers: CallerCache
  readonly idempotency: IdempotencyKeys
  readonly faults: Faults
  readonly versions: VersionHistory
  readonly streams: EventStreams
  /** The last requests to /v1. */
  readonly requests: RequestLog
  /** The webhooks that the daemon received itself. */
  readonly inbox: Inbox
  /** The bodies of the requests that are in progress. */
  readonly bodies: HeldBodies
  readonly expandField: ExpandField
  /** null without a rate limit. */
  readonly rateLimit: RateLimit | null
  /** Whether an unknown parameter is an error. */
  readonly strictParams: boolean
  /** The format of OAuth errors. */
  readonly oauthErrors: OAuthErrorForm
  /** Logs an unexpected error. */
  readonly reportError: (error: unknown, doing: string) => void
  /** Logs ignored parameters. */
  readonly logIgnoredParams: (route: string, params: readonly string[]) => void
  /** Returns the reason why webhooks cannot be sent to a url, as a sentence; undefined if they can. */
  readonly receiverRefusal: (url: string) => string | undefined
  /** Aborted when the sandbox begins to close. Later and delayed requests are then refused. */
  readonly closing: AbortSignal
  /** Returns the url of the daemon. Available once it listens. */
  readonly url: () => string
}
