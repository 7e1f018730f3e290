import { ADVANCE_CHOICES } from './advance-menu.ts'
import type { State } from './state.ts'

/** The height of the header: merchant, clock and connection; with forwarding, one line more. */
const headerRows = ({ forwarding }: Pick<State, 'forwarding'>): number => (forwarding ? 2 : 1)

/** The height of the panel between list and status: the menu with its title. */
const panelRows = ({ mode }: Pick<State, 'mode'>): number =>
  mode.name === 'advance' ? ADVANCE_CHOICES.length + 1 : 0

/** Returns the height of the body (list, event or help), at least one line. The status takes the last line. */
export const bodyRows = (state: Pick<State, 'rows' | 'forwarding' | 'mode'>): number =>
  Math.max(1, state.rows - headerRows(state) - panelRows(state) - 1)
