import { nodeRequestOf } from './node-request.ts'

/** By connection. */
const owners = new WeakMap<object, object>()

/**
 * Records whose request waits over a connection. It is the owner that its body counts for, which is known once the request was
 * authenticated: what a header says could be another name for each connection.
 * @param env - the environment of the server
 */
export function ownConnection(env: unknown, owner: object): void {
  const request = nodeRequestOf(env)
  if (request) owners.set(request.socket, owner)
}

/** Returns the owner of the last request that waited over a connection; undefined if none has. */
export const ownerOfConnection = (socket: object): object | undefined => owners.get(socket)
