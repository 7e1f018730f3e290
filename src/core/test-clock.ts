/** A test clock as events show it. See docs/contract/clocks.md#test-clocks. */
export type ShownClock = {
  readonly id: string
  readonly created: number
  readonly name: string | null
  /** Its time, in Unix seconds. */
  readonly now: number
  /** The end of the advance in progress; null when there is none. */
  readonly target: number | null
}
