import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/store/database.ts'
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

test('a folder that an interrupted inspection left is removed', async () => {
  const path = join(newFolder(), 'paytwin.db')
  const left = join(path, '..', '.inspect-a1B2c3')
  makeFolder(left, 'paytwin.db', 'paytwin.db-wal', 'paytwin.db-shm')
  await open(path)
  expect(existsSync(left)).toBe(false)
})

test('any other folder, file or link of such a name stays as it is', async () => {
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
