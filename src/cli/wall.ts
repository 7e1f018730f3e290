/** Signatures tell the time of the wall, by which receivers judge their age. See docs/contract/clocks.md#which-clock. */
export const wallSeconds = (): number => Math.floor((performance.timeOrigin + performance.now()) / 1000)
