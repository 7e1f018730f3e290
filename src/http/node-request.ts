import type { IncomingMessage, ServerResponse } from 'node:http'

/** Returns the request of Node. One that is served within the process has none. @param env - the environment of the server */
export function nodeRequestOf(env: unknown): IncomingMessage | undefined {
  const { outgoing } = (env ?? {}) as { outgoing?: Partial<Pick<ServerResponse, 'req'>> }
  return outgoing?.req
}
