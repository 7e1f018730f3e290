import { ADVANCE_CHOICES } from './advance-menu.ts'
import type { State } from './state.ts'

/** The lines above what scrolls: merchant, clock and connection; and where events are forwarded. */
const headerRows = ({ forwarding }: Pick<State, 'forwarding'>): number => (forwarding ? 2 : 1)

/** The lines between list and status: the menu with its title. */
const panelRows = ({ mode }: Pick<State, 'mode'>): number =>
  mode.name === 'advance' ? ADVANCE_CHOICES.length + 1 : 0

/** The lines that are left for the list, an event or help; one at least. The status takes the last line. */
export const bodyRows = (state: Pick<State, 'rows' | 'forwarding' | 'mode'>): number =>
  Math.max(1, state.rows - headerRows(state) - panelRows(state) - 1)
