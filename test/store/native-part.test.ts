import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadOutOf, NativePartUnusable, nativePart } from '../../src/store/native-part.ts'
import { temporaryFolder } from '../cli/executable.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
  vi.stubEnv('TMPDIR', folder.path)
})
afterEach(() => {
  vi.unstubAllEnvs()
  folder.remove()
})

test('a library is loaded out of memory by way of a file that has no name any more', () => {
  expect(loadOutOf(readFileSync(String(nativePart())))).toHaveProperty('Database')
  expect(readFileSync('/proc/self/maps', 'utf8')).toContain(`${folder.path}/paytwin-`)
  expect(readdirSync(folder.path)).toEqual([])
})

test('what is no library is refused, and leaves nothing either', () => {
  expect(() => loadOutOf(Buffer.from('no library'))).toThrow(NativePartUnusable)
  expect(readdirSync(folder.path)).toEqual([])
})

test('a folder that cannot be written is named', () => {
  vi.stubEnv('TMPDIR', `${folder.path}/nowhere`)
  expect(() => loadOutOf(Buffer.of())).toThrow(/by way of .*nowhere: ENOENT.*Set TMPDIR/)
})
