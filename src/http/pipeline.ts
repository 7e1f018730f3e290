import { ApiError, routeMissing } from '../core/errors.ts'
import { StateReplaced } from '../engine/machine/merchant-state.ts'
import { OtherDialect } from './dialect.ts'
import type { Incoming, Reply } from './incoming.ts'
import { isResponse, type Rendered } from './respond.ts'

/** A request as the pipeline serves it. */
export type Served = {
  readonly c: Incoming
  /** Clears the results of an earlier try of the request. */
  reset(): void
  /** Releases everything that the try holds, such as an idempotency key. */
  release(): void
  /** Releases what all tries hold, such as the room of the body. */
  end?(): void
  /** Adds the headers to a response. */
  send(rendered: Rendered): Reply
  /** Adds the headers to a stream or a page. */
  stamp(response: Response): Response
  /** Makes the response to an error. */
  fail(error: unknown): Reply
  /** Waits until the request may be read further, or refused; undefined if it may be at once. */
  turn?(): Promise<void> | undefined
  /** Serves the request in the dialect of its merchant. */
  handOver?(error: OtherDialect): Promise<Reply | Response>
}

/**
 * How the requests of a route are served, in the order in which the pipeline runs the steps. Each audience declares its own;
 * a step that it lacks is skipped. The first step that throws ends the request, and its error is answered.
 * See docs/contract/requests.md#order-of-checks.
 */
export type Steps<Exchange extends Served, Sender, Given, Params> = {
  /** Identifies the sender. @throws ApiError authentication_error, invalid_client; parameter_invalid, param Host */
  readonly authenticate: (exchange: Exchange) => Sender
  /** Checks the API version and the account that the request names. @throws ApiError parameter_invalid, with the header as its param */
  readonly checkHeaders?: (exchange: Exchange, sender: Sender) => void
  /** Counts the request. @throws ApiError rate_limit */
  readonly limitRate?: (exchange: Exchange, sender: Sender) => void
  /** Applies the faults of the operator; undefined if none are set, so that nothing is awaited. @throws ApiError rate_limit, internal_error */
  readonly applyFaults?: (exchange: Exchange) => Promise<void> | undefined
  /** Reads the query or the body. @throws ApiError parameter_invalid */
  readonly read: (exchange: Exchange) => Given | Promise<Given>
  /** Returns the stored response for the request's idempotency key; undefined without one. @throws ApiError idempotency_key_reuse */
  readonly replay?: (
    exchange: Exchange,
    request: { readonly sender: Sender; readonly given: Given },
  ) => Promise<Reply | undefined> | undefined
  /** Checks the parameters. @throws ApiError parameter_missing, parameter_invalid */
  readonly check: (exchange: Exchange, request: { readonly sender: Sender; readonly given: Given }) => Params
  /** Runs the handler and renders the response. The writes are committed when it resolves. */
  readonly act: (
    exchange: Exchange,
    request: { readonly sender: Sender; readonly given: Given; readonly params: Params },
  ) => Promise<Rendered | Response>
  /** Shows an error as a page, once the sender is admitted. @throws the error if it is not shown as a page */
  readonly errorPage?: (error: unknown) => Promise<Response>
}

/**
 * Serves a request: runs the steps, logs and returns the response. Serves it again from the first step if a restore or a reset
 * replaced the state in the meantime, so a request never reads one state and writes another.
 */
export async function serve<Exchange extends Served, Sender, Given, Params>(
  exchange: Exchange,
  steps: Steps<Exchange, Sender, Given, Params>,
): Promise<Reply | Response> {
  try {
    for (;;) {
      try {
        return await runSteps(exchange, steps)
      } catch (error) {
        if (error instanceof StateReplaced) continue
        if (error instanceof OtherDialect && exchange.handOver) return exchange.handOver(error)
        return exchange.fail(error)
      }
    }
  } finally {
    exchange.end?.()
  }
}

async function runSteps<Exchange extends Served, Sender, Given, Params>(
  exchange: Exchange,
  steps: Steps<Exchange, Sender, Given, Params>,
): Promise<Reply | Response> {
  let isAdmitted = false
  try {
    // Each await costs a turn of the microtask queue, so nothing is awaited without need.
    exchange.reset()
    const sender = steps.authenticate(exchange)
    steps.checkHeaders?.(exchange, sender)
    steps.limitRate?.(exchange, sender)
    const fault = steps.applyFaults?.(exchange)
    if (fault) await fault
    isAdmitted = true
    const read = steps.read(exchange)
    const given = read instanceof Promise ? await read : read
    const stored = steps.replay?.(exchange, { sender, given })
    const replayed = stored && (await stored)
    if (replayed) return replayed
    const params = steps.check(exchange, { sender, given })
    const result = await steps.act(exchange, { sender, given, params })
    return isResponse(result) ? exchange.stamp(result) : exchange.send(result)
  } catch (error) {
    if (isAdmitted && steps.errorPage) return exchange.stamp(await steps.errorPage(error))
    // A refusal is rendered and logged too, and has had no turn yet.
    if (!isAdmitted && error instanceof ApiError) await exchange.turn?.()
    throw error
  } finally {
    exchange.release()
  }
}

/** The last steps of a request that matches no route. */
export const MISSING_ROUTE = {
  read: ({ turn }: Served) => turn?.(),
  check: () => undefined,
  act: async ({ c }: Served): Promise<never> => {
    throw routeMissing(c.req.method, c.req.path)
  },
}
