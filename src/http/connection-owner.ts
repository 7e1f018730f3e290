import { nodeRequestOf } from './node-request.ts'

/** The owner of each connection. */
const owners = new WeakMap<object, object>()

/**
 * Records the owner of a request that waits, as the owner of its connection. Its body counts for the same owner, who was
 * authenticated: a header that was not checked could name another owner for each connection.
 * @param env - the environment of the server
 */
export function ownConnection(env: unknown, owner: object): void {
  const request = nodeRequestOf(env)
  if (request) owners.set(request.socket, owner)
}

/** Returns the owner of the last request that waited over a connection; undefined if none has waited, or it counted for none. */
export const ownerOfConnection = (socket: object): object | undefined => owners.get(socket)
