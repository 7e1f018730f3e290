import {
  chownSync,
  cpSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { installedPart, loadFromMemory, NativePartUnusable, nativePart } from '../../src/store/native-part.ts'
import { reasonUntrusted } from '../../src/store/own-files.ts'
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

describe('the installed library', () => {
  const NOBODY = 65_534
  const isRoot = process.geteuid?.() === 0
  const ADDON = 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'
  const outer = () => join(folder.path, ADDON)
  const inner = () => join(folder.path, 'project', ADDON)
  /** Finds the library for a program in a project within the folder. */
  const find = () => installedPart(pathToFileURL(join(folder.path, 'project/program.js')).href)

  /** Creates a package, and the library in it unless `content` is null. */
  const install = (path: string, content: string | null) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(join(path, '../../../package.json'), '{"name":"better-sqlite3"}')
    if (content !== null) writeFileSync(path, content)
  }

  test('is taken from the package of a parent folder if the project has none', () => {
    mkdirSync(join(folder.path, 'project'))
    install(outer(), 'outer')
    expect(find()).toBe(outer())
  })

  test('is taken from the package of the project, also if a parent folder has one', () => {
    install(outer(), 'outer')
    install(inner(), 'inner')
    expect(find()).toBe(inner())
  })

  test('is not taken from a parent folder when the package of the project has none', () => {
    install(outer(), 'planted')
    install(inner(), null)
    expect(find).toThrow(
      `SQLite cannot be loaded: the file ${inner()} is missing, because its package was installed without its build script.\n` +
        'With npm, also after --ignore-scripts: npm rebuild better-sqlite3\n',
    )
  })

  test('is missed with its package', () => {
    mkdirSync(join(folder.path, 'project'))
    expect(find).toThrow(
      'the package better-sqlite3 is not installed.\nInstall it: npm install better-sqlite3',
    )
  })

  test.each<[string, number, number | undefined, string | undefined]>([
    ['this user', 1000, undefined, undefined],
    ['root', 0, undefined, undefined],
    ['the owner of the program', 1001, 1001, undefined],
    ['another user', 1001, undefined, 'it belongs to another user (1001; this is 1000)'],
    [
      'another user than the owner of the program',
      1001,
      1002,
      'it belongs to another user (1001; this is 1000)',
    ],
  ])('may belong to the user, to root, or to the owner of the program: %s', (_, uid, codeOwner, reason) => {
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(1000)
    expect(reasonUntrusted({ uid }, codeOwner)).toBe(reason)
    user.mockRestore()
  })

  test.each<[string, (path: string) => void]>([
    ['file', (path) => chownSync(path, NOBODY, NOBODY)],
    ['folder', (path) => chownSync(join(path, '..'), NOBODY, NOBODY)],
    ['package', (path) => chownSync(join(path, '../../..'), NOBODY, NOBODY)],
    [
      'link',
      (path) => {
        cpSync(path, join(folder.path, 'library'))
        rmSync(path)
        symlinkSync(join(folder.path, 'library'), path)
        lchownSync(path, NOBODY, NOBODY)
      },
    ],
  ])('is refused when another user owns the %s', (_, giveAway) => {
    install(inner(), 'library')
    const user = vi.spyOn(process, 'geteuid')
    onTestFinished(() => user.mockRestore())
    if (isRoot) giveAway(inner())
    else user.mockReturnValue(statSync(inner()).uid + 1)
    expect(find).toThrow(
      /^SQLite cannot be loaded: .*: it belongs to another user \(\d+; this is \d+\)\.\nRemove it, and install/,
    )
  })
})
