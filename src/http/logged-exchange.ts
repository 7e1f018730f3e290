import { stopwatch } from '../engine/machine/clock.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { keyHint } from './auth.ts'
import type { Caller } from './caller.ts'
import type { Incoming } from './incoming.ts'
import { isUnlogged } from './operator-caller.ts'
import { redacted } from './redact.ts'
import type { Given } from './request.ts'
import { contentOf } from './request-content.ts'
import type { RequestLog } from './request-log.ts'

/** A request to /v1 and its response, as the request log gets them. */
type LoggedExchange = {
  readonly c: Incoming
  readonly id: string
  /** The instant of the wall clock at which it began. */
  readonly time: number
  /** The same on the stopwatch, in milliseconds. */
  readonly begun: number
  readonly caller: Caller | undefined
  readonly merchant: MerchantState | undefined
  readonly isReplay: boolean
  /** The parameters of the body; undefined if it has none or could not be read. */
  readonly body: Given | undefined
  readonly idempotencyKey: string | undefined
  /** The names of ignored parameters. */
  readonly ignored: readonly string[]
  readonly status: number
  readonly code: string | null
  /** null for a stream or a page. */
  readonly text: string | null
}

/** Adds an answered request to the request log. */
export function logExchange(requests: RequestLog, exchange: LoggedExchange): void {
  const { c, id, time, begun, caller, merchant, isReplay, ignored, status, code, text } = exchange
  if (isUnlogged(c.env)) return
  const { method, url, path } = c.req
  const entry = {
    id,
    time,
    method,
    path: redacted(url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('//') + 2))),
    status,
    duration_ms: stopwatch() - begun,
    key: caller?.keyHint ?? keyHint(c.req.header('authorization')),
    merchant: merchant?.settings.id ?? null,
    replayed: isReplay,
    code,
    ignored,
  }
  const isSecret = code !== null || path.startsWith('/v1/oauth/')
  const { body, idempotencyKey } = exchange
  requests.add(entry, contentOf({ body, idempotencyKey, text, isSecret }))
}
