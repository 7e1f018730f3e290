import { setTimeout as delay } from 'node:timers/promises'

/** The timeout for operations that take milliseconds on an idle machine. */
export const PATIENCE_MS = 60_000

/** Waits until a condition holds. @throws after the timeout, with the name of the condition */
export async function until(what: string, holds: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
  for (const end = performance.now() + patienceMs; !holds(); await delay(50))
    if (performance.now() > end) throw new Error(`waited ${patienceMs / 1_000} s in vain until ${what}`)
}
