import { setMaxListeners } from 'node:events'

/** Creates an AbortController whose signal may have any number of listeners. Beyond ten, Node would print a warning. */
export function abortOfMany(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
