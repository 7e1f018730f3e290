import type { AdvanceTarget } from '../client/types.ts'
import type { Subject } from './subject.ts'
import type { ViewName } from './views.ts'

/** An effect of a key beyond the state of the UI. */
export type Command =
  | { readonly do: 'quit' }
  /** Redraws the whole screen, because another program has written on the terminal. */
  | { readonly do: 'redraw' }
  /** Starts to read the data of a view, and stops reading the data of the previous view. */
  | { readonly do: 'show'; readonly view: ViewName }
  | { readonly do: 'read_timeline'; readonly subject: Subject }
  /** Reads the next due job. */
  | { readonly do: 'read_upcoming'; readonly merchant: string }
  | { readonly do: 'advance'; readonly merchant: string; readonly target: AdvanceTarget }
  | { readonly do: 'freeze' | 'unfreeze' | 'cancel'; readonly merchant: string }
