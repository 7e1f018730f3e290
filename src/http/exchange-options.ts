import type { ApiError } from '../core/errors.ts'
import type { DialectForm, OtherDialect } from './dialect.ts'
import type { Json } from './json.ts'

/** The options for reading the requests of a route and making their responses. */
export type ExchangeOptions = {
  /** Headers of every response; names and values alternate. */
  readonly headers?: readonly string[]
  /** Makes the body of an error; the error envelope by default. */
  readonly errorBody?: (error: ApiError, url: string) => Json
  /** Whether the route ignores Idempotency-Key. */
  readonly ignoresIdempotencyKey?: boolean
  /** Whether a repeated form parameter is an error, as in OAuth. */
  readonly onlyOnce?: boolean
  /** The owner that bodies of callers without a key count against; NOBODY by default. */
  readonly owner?: object
  /** The dialect in which the request is served; paytwin's own by default. */
  readonly form?: DialectForm
  /** Thrown for a merchant with another dialect. Without it, every merchant is served. */
  readonly otherDialect?: OtherDialect
}
