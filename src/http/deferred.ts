/**
 * Makes a value when it is first used, and then keeps it. The schemas of parameters are made this way, because a sandbox
 * in a test uses few of its routes, and making all schemas would take a tenth of its start.
 */
export function deferred<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
