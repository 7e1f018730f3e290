import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
import { reasonReplaceable } from '../../src/store/own-files.ts'
import { newFolder } from '../places.ts'

async function open(path: string): Promise<void> {
  const database = await openDatabase(path, 'normal')
  onTestFinished(() => {
    database.close()
  })
}

function makeFolder(path: string, ...files: string[]): void {
  mkdirSync(path)
  for (const name of files) writeFileSync(join(path, name), '')
}

test('a folder of an interrupted inspection is removed', async () => {
  const path = join(newFolder(), 'paytwin.db')
  const left = join(path, '..', '.inspect-a1B2c3')
  makeFolder(left, 'paytwin.db', 'paytwin.db-wal', 'paytwin.db-shm')
  await open(path)
  expect(existsSync(left)).toBe(false)
})

test('any other folder, file or link with such a name is kept', async () => {
  const path = join(newFolder(), 'paytwin.db')
  const at = (name: string) => join(path, '..', name)
  makeFolder(at('.inspect-notes1'), 'paytwin.db', 'notes.txt')
  makeFolder(at('.inspect-notes'), 'notes.txt')
  makeFolder(at('.inspect-abcdef'), 'notes.txt')
  makeFolder(at('.inspect-nested'))
  makeFolder(join(at('.inspect-nested'), 'paytwin.db'), 'notes.txt')
  writeFileSync(at('.inspect-123456'), '')
  const elsewhere = newFolder()
  writeFileSync(join(elsewhere, 'paytwin.db'), '')
  symlinkSync(elsewhere, at('.inspect-linked'))
  const names = () =>
    readdirSync(at('.'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.startsWith('.inspect-'))
      .toSorted()
  const before = names()
  await open(path)
  expect(names()).toEqual(before)
  expect(readdirSync(elsewhere)).toEqual(['paytwin.db'])
})

describe('a database behind a link', () => {
  const linked = () => {
    const target = join(newFolder(), 'paytwin.db')
    writeFileSync(target, '')
    const link = join(newFolder(), 'paytwin.db')
    symlinkSync(target, link)
    return { target, link }
  }

  test('is opened when it is the user’s own', async () => {
    const { target, link } = linked()
    await open(link)
    expect(statSync(target).size + statSync(`${target}-wal`).size).toBeGreaterThan(0)
  })

  test('is refused when it is another user’s', async () => {
    const { target, link } = linked()
    const user = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(target).uid + 1)
    onTestFinished(() => user.mockRestore())
    await expect(open(link)).rejects.toThrow(/paytwin\.db cannot be used: it belongs to another user/)
    expect(statSync(target).size).toBe(0)
  })

  test.each(['-wal', '-shm', '-journal'])('is refused when a link ends in %s beside it', async (end) => {
    const { target, link } = linked()
    const victim = join(newFolder(), 'victim')
    writeFileSync(victim, '')
    symlinkSync(victim, target + end)
    await expect(open(link)).rejects.toThrow(
      new RegExp(`paytwin\\.db${end} cannot be used: it is a symbolic link`),
    )
    expect([statSync(target).size, readFileSync(victim, 'utf8')]).toEqual([0, ''])
  })
})

describe('a folder', () => {
  test.each([
    ['of this user', 0o700, undefined],
    ['that others can read', 0o755, undefined],
    ['that all can write, with the sticky bit', 0o1777, undefined],
    ['that all can write', 0o777, /^its group or other users can write \S+, which has no sticky bit$/],
    ['that its group can write', 0o770, /^its group or other users can write \S+, which has no sticky bit$/],
    ['that others can write', 0o702, /^its group or other users can write \S+, which has no sticky bit$/],
  ])('%s, and those in it, can be replaced only without a sticky bit', (_, mode, reason) => {
    const folder = realpathSync(newFolder())
    const inside = join(folder, 'inside')
    makeFolder(inside)
    chmodSync(folder, mode)
    const expected = reason === undefined ? undefined : expect.stringMatching(reason)
    expect([folder, inside].map(reasonReplaceable)).toEqual([expected, expected])
  })

  test.runIf(process.geteuid?.() === 0)('of another user can be replaced', () => {
    const folder = realpathSync(newFolder())
    chownSync(folder, 4242, 4242)
    expect(reasonReplaceable(folder)).toBe(`${folder}: it belongs to another user (4242; this is 0)`)
  })
})
