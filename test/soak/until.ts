import { setTimeout as delay } from 'node:timers/promises'

/** How long anything may take that takes milliseconds on an idle machine. */
export const PATIENCE_MS = 60_000

/** Waits until a condition holds. @throws after the patience, naming what was waited for */
export async function until(what: string, holds: () => boolean, patienceMs = PATIENCE_MS): Promise<void> {
  for (const end = performance.now() + patienceMs; !holds(); await delay(50))
    if (performance.now() > end) throw new Error(`waited ${patienceMs / 1_000} s in vain until ${what}`)
}
