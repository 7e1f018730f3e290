/**
 * The timers at the time when paytwin was loaded. The build uses them instead of the global ones, so that fake timers of a
 * test do not stop the sandbox. Date is not replaced.
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

const { nextTick, hrtime } = process

export { hrtime as 'process.hrtime', nextTick as 'process.nextTick' }
