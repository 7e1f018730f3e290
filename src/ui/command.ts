import type { AdvanceAim } from '../client/types.ts'

/** What a key wants done beyond the screen. */
export type Command =
  | { readonly do: 'quit' }
  /** Everything is drawn anew: something else has written on the terminal. */
  | { readonly do: 'redraw' }
  /** The next happening is asked for. */
  | { readonly do: 'look_ahead'; readonly merchant: string }
  | { readonly do: 'advance'; readonly merchant: string; readonly aim: AdvanceAim }
  | { readonly do: 'freeze' | 'unfreeze' | 'cancel'; readonly merchant: string }
