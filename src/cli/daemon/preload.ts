import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getRawAsset, isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'

const NAME = 'stripe-preload.cjs'

/**
 * The path of the script that redirects Stripe's SDK for Node to a daemon; null for the single executable, which contains it.
 * See docs/stripe.md#unchanged-applications.
 */
export const PRELOAD = isSea() ? null : fileURLToPath(new URL(`./${NAME}`, import.meta.url))

/** Returns the path of the script. The single executable writes it to a folder, and needs one. */
export function preloadIn(folder: string | null): string {
  if (PRELOAD !== null) return PRELOAD
  if (folder === null) throw new Error('the script has no folder')
  const file = join(folder, NAME)
  writeFileSync(file, new Uint8Array(getRawAsset(NAME) as ArrayBuffer))
  return file
}
