/** Whether a test was started for itself, to run long: see long.js. */
export const isLong = process.env.PAYTWIN_LONG !== undefined

/** How much of something a test does: what it was asked for, or what it does in the suite. */
export function asked(what: 'rounds' | 'minutes' | 'seed', inSuite: number): number {
  const given = process.env[`PAYTWIN_LONG_${what.toUpperCase()}`]
  return given === undefined ? inSuite : Number(given)
}

/** Numbers that look random and follow from a seed: a failure can be had again. Each is at least 0 and below a limit. */
export function dice(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    // Mulberry32, by Tommy Ettinger: public domain.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit
  }
}
