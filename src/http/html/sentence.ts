import { escapeControls } from '../../text/display.ts'

/** Makes a message of the API a sentence of a page. What it quotes of a request cannot reorder it: see docs/threat-model.md. */
export const sentence = (message: string): string =>
  escapeControls(/[.!?]$/.test(message) ? message : `${message}.`)
