/**
 * The timers as they were when paytwin was loaded. The build puts them in the place of the global ones, so that a test which
 * fakes those does not stop the sandbox in this process. Date is left to the test.
 */
export const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  setImmediate,
  clearImmediate,
  queueMicrotask,
} = globalThis
