import { fileURLToPath } from 'node:url'
import { cellsOf } from './cells.ts'
import { COMMAND, SCREEN, terminalAtTheEnd } from './story.ts'
import { svgOf } from './svg.ts'

export const PICTURE = fileURLToPath(new URL('../../docs/terminal.svg', import.meta.url))

const CAPTION = {
  window: COMMAND,
  title: 'The terminal UI of paytwin',
  description:
    'Events of three subscriptions, one a line with time, type, object and what matters of it: renewals that fail, a retry ' +
    'that recovers one of them, a subscription that is canceled after the last retry. Below, a menu to advance the clock.',
}

/** What README.md shows, made of the program as it is. The same program makes the same bytes. */
export const makePicture = async (): Promise<string> =>
  svgOf(cellsOf(await terminalAtTheEnd()), SCREEN.columns, CAPTION)
