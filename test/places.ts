import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a folder that is deleted at the end of the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-state-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The places where a sandbox can keep its database and snapshots. Tests for both places must give the same results. */
export const PLACES = {
  'in memory': () => ':memory:',
  'on disk': () => join(newFolder(), 'paytwin.db'),
} as const

export type Place = keyof typeof PLACES
export const EVERYWHERE = Object.keys(PLACES).map((place) => [place as Place] as const)
