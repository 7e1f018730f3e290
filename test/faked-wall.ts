import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/** Whether tests can fake the wall clock of a process. In continuous integration they must, and fail where they cannot. */
export const hasFaketime = spawnSync('faketime', ['--version']).status === 0 || process.env.CI !== undefined

/**
 * A wall clock for other processes, which runs at an offset from the real one. Timers are not affected, as after a sleep of the
 * machine. It needs libfaketime: see `hasFaketime`.
 */
export class FakedWall {
  /** Makes a process use this wall clock. */
  readonly env: Readonly<Record<string, string>>
  readonly #file: string

  /** @param file - where to keep the offset */
  constructor(file: string) {
    this.#file = file
    this.set('+0')
    const print = ['-f', '+0', 'sh', '-c', 'echo "$LD_PRELOAD"']
    this.env = {
      LD_PRELOAD: execFileSync('faketime', print, { encoding: 'utf8' }).trim(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    }
  }

  /** Sets the offset from the real time, such as '+10d', '-5h' or '+90' (seconds). */
  set(offset: string): void {
    writeFileSync(this.#file, offset)
  }
}
