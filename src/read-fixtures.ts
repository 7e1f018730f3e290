import { readFileSync, statSync } from 'node:fs'
import { sizeError } from './core/fixture-limits.ts'
import type { FixturesFile } from './http/fixtures/schema.ts'
import { StartRefused } from './start-refused.ts'
import { JsonSyntaxError, parseJsonText } from './text/json-text.ts'

/** Reads the fixtures files of a start. @throws StartRefused 2, with line and column for invalid JSON */
export function readFixtures(paths: readonly string[]): FixturesFile[] {
  const why = sizeError(paths.reduce((sum, path) => sum + sizeOf(path), 0))
  if (why !== undefined) throw new StartRefused(2, why)
  return paths.map(readFile)
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    throw unreadable(error)
  }
}

function readFile(path: string): FixturesFile {
  try {
    return { name: path, content: parseJsonText(readFileSync(path, 'utf8')) }
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new StartRefused(2, error.in(path)) : unreadable(error)
  }
}

const unreadable = (error: unknown) =>
  new StartRefused(2, `The fixtures file cannot be read: ${(error as Error).message}`)
