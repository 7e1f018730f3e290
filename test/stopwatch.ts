import { onTestFinished, vi } from 'vitest'

/** A stopwatch of the process that stands, until a test moves it on. */
export type StoppedWatch = {
  /** Its time, in milliseconds. */
  now: number
}

/** Stops the stopwatch of the process until the running test has finished. */
export function stopStopwatch(): StoppedWatch {
  const watch = { now: 0 }
  const hrtime = vi
    .spyOn(process, 'hrtime')
    .mockImplementation(() => [Math.floor(watch.now / 1_000), (watch.now % 1_000) * 1_000_000])
  onTestFinished(() => hrtime.mockRestore())
  return watch
}
