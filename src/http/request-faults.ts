import { internalError, rateLimited } from '../core/errors.ts'
import type { Faults, RequestFault } from '../engine/machine/faults.ts'
import type { HttpServices } from './services.ts'

/** Takes a fault of a kind that matches a request; undefined if there is none. */
export type TakeFault = (kind: RequestFault) => ReturnType<Faults['take']>

/**
 * Applies faults to a request before it is read: refuses or delays it.
 * @param take - takes a fault that matches the request
 * @throws ApiError rate_limit; internal_error, also if the sandbox starts to close during the delay
 */
export async function applyRequestFaults(
  { closing }: Pick<HttpServices, 'closing'>,
  take: TakeFault,
): Promise<void> {
  if (take('rate_limit')) throw rateLimited()
  const latency = take('latency')
  if (latency) await delay(latency.ms ?? 0, closing)
  if (closing.aborted) throw internalError()
  if (take('internal_error')) throw internalError()
}

/** Closes the connection of a request without a response. @param env - the environment of the server */
export function hangUp(env: unknown): void {
  const { outgoing } = (env ?? {}) as { outgoing?: { destroy(): void } }
  outgoing?.destroy()
}

/** Waits for a number of milliseconds, or until the signal is aborted. */
function delay(ms: number, until: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      until.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, until.aborted ? 0 : ms)
    until.addEventListener('abort', done)
  })
}
