/** Returns the real time in Unix seconds. Signatures carry it, because receivers check their age. See docs/contract/clocks.md#which-clock. */
export const wallSeconds = (): number => Math.floor((performance.timeOrigin + performance.now()) / 1000)
