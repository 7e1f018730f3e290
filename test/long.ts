/** Whether long.js started this test alone, to run longer than in the suite. */
export const isLong = process.env.PAYTWIN_LONG !== undefined

/** Returns how much a test does: the number requested on the command line, or the one for the suite. */
export function requested(what: 'rounds' | 'minutes' | 'seed', inSuite: number): number {
  const given = process.env[`PAYTWIN_LONG_${what.toUpperCase()}`]
  return given === undefined ? inSuite : Number(given)
}

/** Pseudo-random numbers from a seed, so that a failure can be reproduced. Each is at least 0 and below a limit. */
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
