import { MAX_FIXTURE_BYTES, sizeError } from '../core/fixture-limits.ts'
import type { FixturesFile } from '../http/fixtures/schema.ts'
import { type GivenFile, readGivenFile } from '../text/given-file.ts'
import { JsonSyntaxError, parseJsonFile } from '../text/json-text.ts'
import { StartRefused } from './start-refused.ts'

/** Reads the fixtures files of a start. @throws StartRefused 2, with line and column for invalid JSON or UTF-8 */
export function readFixtures(paths: readonly string[]): FixturesFile[] {
  const files = paths.map((path) => ({ path, ...readFile(path) }))
  const why = sizeError(files.reduce((sum, { size }) => sum + size, 0))
  if (why !== undefined) throw new StartRefused(2, why)
  return files.map(({ path, content }) => parseFile(path, content))
}

function readFile(path: string): GivenFile {
  try {
    return readGivenFile(path, { maxBytes: MAX_FIXTURE_BYTES })
  } catch (error) {
    throw new StartRefused(2, `The fixtures file cannot be read: ${(error as Error).message}`)
  }
}

function parseFile(path: string, content: Buffer): FixturesFile {
  try {
    return { name: path, content: parseJsonFile(content) }
  } catch (error) {
    throw error instanceof JsonSyntaxError ? new StartRefused(2, error.in(path)) : error
  }
}
