import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadFromMemory, NativePartUnusable, nativePart } from '../../src/store/native-part.ts'
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

test('a library is loaded from memory through an unlinked file', () => {
  expect(loadFromMemory(readFileSync(String(nativePart())))).toHaveProperty('Database')
  expect(readFileSync('/proc/self/maps', 'utf8')).toContain(`${folder.path}/paytwin-`)
  expect(readdirSync(folder.path)).toEqual([])
})

test('an invalid library is refused and leaves no file', () => {
  expect(() => loadFromMemory(Buffer.from('no library'))).toThrow(NativePartUnusable)
  expect(readdirSync(folder.path)).toEqual([])
})

test('a folder that cannot be written is named in the error', () => {
  vi.stubEnv('TMPDIR', `${folder.path}/nowhere`)
  expect(() => loadFromMemory(Buffer.of())).toThrow(/cannot be loaded from .*nowhere: ENOENT.*Set TMPDIR/)
})
