import type { Engine } from '../engine/engine.ts'
import type { Faults } from '../engine/faults.ts'
import type { IdempotencyKeys } from '../engine/idempotency.ts'
import type { KeyRing } from '../engine/keys.ts'
import type { CallerCache } from './caller-cache.ts'
import type { Present } from './expand.ts'
import type { OAuthErrorForm } from './oauth/error-form.ts'
import type { RateLimit } from './rate-limit.ts'
import type { RequestLog } from './request-log.ts'
import type { EventStreams } from './stream.ts'
import type { VersionHistory } from './versions.ts'

/** Everything that the HTTP layer stands on. */
export type Site = {
  readonly engine: Engine
  readonly keys: KeyRing
  readonly callers: CallerCache
  readonly idempotency: IdempotencyKeys
  readonly faults: Faults
  readonly versions: VersionHistory
  readonly streams: EventStreams
  /** The last requests to /v1. */
  readonly requests: RequestLog
  readonly present: Present
  /** null when requests are not limited. */
  readonly rateLimit: RateLimit | null
  /** Whether an unknown parameter is an error. */
  readonly strictParams: boolean
  /** How apps are told of errors. */
  readonly oauthErrors: OAuthErrorForm
  /** Takes note of what should not happen: our own mistakes. */
  readonly reportError: (error: unknown, doing: string) => void
  /** Takes note of what a developer should see: parameters that were ignored. */
  readonly noteIgnored: (route: string, params: readonly string[]) => void
  /** Why nothing can be posted to a url, in a sentence; undefined when it can. */
  readonly refusesReceiver: (url: string) => string | undefined
  /** Aborted when the sandbox begins to close: requests that come later, or are still delayed, are refused. */
  readonly closing: AbortSignal
  /** Where the daemon listens; known once it does. */
  readonly url: () => string
}
