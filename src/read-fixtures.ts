import { readFileSync } from 'node:fs'
import { JsonMistake, parseJsonText } from './core/json-text.ts'
import type { FixturesFile } from './http/fixtures/schema.ts'
import { StartRefused } from './start-refused.ts'

/** A file of fixtures that a start is given. @throws StartRefused 2, with line and column where it is no JSON */
export function readFixtures(path: string): FixturesFile {
  try {
    return { name: path, content: parseJsonText(readFileSync(path, 'utf8')) }
  } catch (error) {
    const message =
      error instanceof JsonMistake
        ? error.in(path)
        : `The fixtures file cannot be read: ${(error as Error).message}`
    throw new StartRefused(2, message)
  }
}
