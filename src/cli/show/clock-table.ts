import type { Clock } from '../../client/types.ts'
import { instant } from './format.ts'
import type { Column } from './output.ts'

/** The columns of a clock: its time, mode and status. */
export const clockColumns: readonly Column<Clock>[] = [
  { title: 'CLOCK TIME', cell: ({ now }) => instant(now) },
  { title: 'MODE', cell: ({ mode }) => ({ text: mode, colour: mode === 'frozen' ? 'cyan' : 'green' }) },
  {
    title: 'STATUS',
    cell: ({ status, target }) =>
      status === 'advancing' ? { text: `advancing to ${instant(target)}`, colour: 'yellow' } : status,
  },
]
