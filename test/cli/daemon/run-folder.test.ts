import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { newRunFolder, removeRunFolder } from '../../../src/cli/daemon/run-folder.ts'
import { newFolder } from '../../places.ts'

/** What the file system does before a call; it may throw. */
type Before = (path: string) => void
type Call = 'readdirSync' | 'readFileSync' | 'readlinkSync' | 'rmSync' | 'writeFileSync'
const before: Partial<Record<Call, Before>> = {}

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof import('node:fs')>()
  const wrapped = (name: keyof typeof before) => [
    name,
    (path: string, ...rest: unknown[]) => {
      before[name]?.(path)
      return (actual[name] as (...all: unknown[]) => unknown)(path, ...rest)
    },
  ]
  const names = ['readdirSync', 'readFileSync', 'readlinkSync', 'rmSync', 'writeFileSync'] as const
  return { ...actual, ...Object.fromEntries(names.map(wrapped)) }
})

beforeEach(() => {
  for (const name of Object.keys(before) as (keyof typeof before)[]) delete before[name]
})

const failing = (code: string, syscall: string): Error => Object.assign(new Error(code), { code, syscall })
const DEAD_PID = 4_194_304

/** Creates the folder of a killed run, which has the owner's file of a live one with another pid. */
function leftover(parent: string): string {
  const folder = newRunFolder(parent)
  const owner = join(folder, 'owner')
  const content = readFileSync(owner, 'utf8')
  writeFileSync(owner, content.replace(/"pid":\d+/, `"pid":${DEAD_PID}`))
  mkdirSync(join(folder, 'a'))
  writeFileSync(join(folder, 'a', 'file'), '')
  writeFileSync(join(folder, 'zone'), '')
  return folder
}

test('the folders of killed runs are removed, and no others', () => {
  const parent = newFolder()
  const live = newRunFolder(parent)
  const killed = [leftover(parent), leftover(parent)]
  expect(killed.map(existsSync)).toEqual([false, true])
  const folder = newRunFolder(parent)
  expect(readdirSync(parent).sort()).toEqual(
    [live, folder].map((path) => path.slice(parent.length + 1)).sort(),
  )
})

test('a folder that another run removes at the same time is no error', () => {
  const parent = newFolder()
  const killed = leftover(parent)
  before.readFileSync = (path) => rmSync(dirname(path), { recursive: true, force: true })
  expect(existsSync(newRunFolder(parent))).toBe(true)
  expect(existsSync(killed)).toBe(false)
})

test('a folder that cannot be removed stays, and all others are removed', () => {
  const parent = newFolder()
  const folders = [newRunFolder(parent), newRunFolder(parent), newRunFolder(parent)]
  for (const folder of folders) {
    const owner = join(folder, 'owner')
    writeFileSync(owner, readFileSync(owner, 'utf8').replace(/"pid":\d+/, `"pid":${DEAD_PID}`))
  }
  before.rmSync = (path) => {
    if (path === folders[1]) throw failing('EROFS', 'rmdir')
  }
  expect(existsSync(newRunFolder(parent))).toBe(true)
  expect(folders.map(existsSync)).toEqual([false, true, false])
})

test('a folder whose owner cannot be written is removed', () => {
  const parent = newFolder()
  before.writeFileSync = (path) => {
    // A full disk leaves an empty file.
    closeSync(openSync(path, 'w'))
    throw failing('ENOSPC', 'write')
  }
  expect(() => newRunFolder(parent)).toThrow('ENOSPC')
  expect(readdirSync(parent)).toEqual([])
})

test('a parent that cannot be listed is no error', () => {
  const parent = newFolder()
  before.readdirSync = (path) => {
    if (path === parent) throw failing('EACCES', 'scandir')
  }
  expect(existsSync(newRunFolder(parent))).toBe(true)
})

test('without /proc nothing is removed, because process ids may be those of another container', () => {
  const parent = newFolder()
  before.readlinkSync = () => {
    throw failing('ENOENT', 'readlink')
  }
  const killed = leftover(parent)
  expect(existsSync(newRunFolder(parent))).toBe(true)
  expect(existsSync(killed)).toBe(true)
})

test('a removal that is killed midway is completed by the next run', () => {
  const parent = newFolder()
  const killed = leftover(parent)
  let count = 0
  before.rmSync = () => {
    count += 1
    if (count === 3) throw failing('EIO', 'unlink')
  }
  removeRunFolder(killed)
  expect(readdirSync(killed)).toEqual(['owner'])
  delete before.rmSync
  newRunFolder(parent)
  expect(existsSync(killed)).toBe(false)
})

test('the removal of a folder that is gone or cannot be removed is no error', () => {
  const folder = newRunFolder(newFolder())
  before.rmSync = () => {
    throw failing('EACCES', 'rmdir')
  }
  removeRunFolder(folder)
  delete before.rmSync
  expect(existsSync(folder)).toBe(true)
  removeRunFolder(folder)
  removeRunFolder(folder)
  expect(existsSync(folder)).toBe(false)
})
