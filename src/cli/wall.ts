/** Signatures tell the time of the wall, by which receivers judge their age. Source: decisions.md 2. */
export const wallSeconds = (): number => Math.floor((performance.timeOrigin + performance.now()) / 1000)
