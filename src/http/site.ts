import type { Engine } from '../engine/engine.ts'
import type { KeyRing } from '../engine/keys.ts'
import type { EventStreams } from './stream.ts'

/** Everything that the HTTP layer stands on. */
export type Site = {
  readonly engine: Engine
  readonly keys: KeyRing
  readonly streams: EventStreams
  /** Takes note of what should not happen: our own mistakes. */
  readonly reportError: (error: unknown, doing: string) => void
  /** Takes note of what a developer should see: parameters that were ignored. */
  readonly noteIgnored: (route: string, params: readonly string[]) => void
}
