const { constants, fstatSync, openSync, readSync } = process.getBuiltinModule('node:fs')

/** Opening a pipe without a writer returns at once instead of waiting for one. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/**
 * Reads the offset of dates from a file that paytwin keeps up to date.
 * @returns a function that reads the present offset, in milliseconds
 * @throws Error if the file is missing, or is not a regular file of this user or of root
 */
export function readOffsets(path: string): () => number {
  const file = openOwn(path)
  const value = new Float64Array(1)
  // Reading eight bytes takes a microsecond. So the file is read for each date, which is right as soon as the clock has moved.
  return () => {
    readSync(file, value, 0, value.byteLength, 0)
    return value[0] ?? 0
  }
}

function openOwn(path: string): number {
  const file = openFile(path)
  const stats = fstatSync(file)
  const user = process.geteuid?.()
  if (stats.isFile() && (user === undefined || stats.uid === user || stats.uid === 0)) return file
  throw new Error(`paytwin did not shift dates: ${path} is not a regular file of this user`)
}

function openFile(path: string): number {
  try {
    return openSync(path, READ)
  } catch (cause) {
    throw new Error(`paytwin did not shift dates: ${path} cannot be opened. Is the run over?`, { cause })
  }
}

/** Shifts `Date.now()`, `new Date()` and `Date()`. Other uses of Date, timers and `performance` are not changed. */
export function shiftDates(offset: () => number): void {
  const Real = Date
  const real = Real.now
  const now = () => real() + offset()
  Real.now = now
  const Shifted = new Proxy(Real, {
    apply: () => new Real(now()).toString(),
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  })
  Object.defineProperty(Real.prototype, 'constructor', { value: Shifted, writable: true, configurable: true })
  globalThis.Date = Shifted
}
