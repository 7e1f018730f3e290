import type { AdvanceTarget } from '../client/types.ts'

/** An effect of a key beyond the state of the UI. */
export type Command =
  | { readonly do: 'quit' }
  /** Redraws the whole screen, because another program has written on the terminal. */
  | { readonly do: 'redraw' }
  /** Reads the next due job. */
  | { readonly do: 'read_upcoming'; readonly merchant: string }
  | { readonly do: 'advance'; readonly merchant: string; readonly aim: AdvanceTarget }
  | { readonly do: 'freeze' | 'unfreeze' | 'cancel'; readonly merchant: string }
