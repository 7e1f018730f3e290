import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DataFolder } from '../src/data-folder.ts'
import { temporaryFolder } from './cli/executable.ts'

let parent: ReturnType<typeof temporaryFolder>
let folder: DataFolder
beforeEach(() => {
  parent = temporaryFolder()
  folder = new DataFolder(join(parent.path, 'a', 'data'))
})
afterEach(() => parent.remove())

const file = (name: string) => join(folder.path, name)
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('the folder is for its owner alone, whatever it was before, and version control leaves it out', () => {
  expect(modeOf(folder.path)).toBe('700')
  expect(readFileSync(file('.gitignore'), 'utf8')).toBe('*\n')
  expect(modeOf(file('.gitignore'))).toBe('600')
})

test('the admin token is made once', () => {
  expect(folder.adminToken(() => 'first')).toBe('first')
  expect(folder.adminToken(() => 'second')).toBe('first')
  expect(modeOf(folder.adminTokenFile)).toBe('600')
})

test('a daemon is found while it lives, and after it has taken its address back no more', () => {
  expect(folder.announced()).toBeUndefined()
  const own = { url: 'http://127.0.0.1:4242', pid: process.pid }
  folder.announce(own)
  expect(folder.announced()).toEqual(own)
  expect(modeOf(file('daemon.json'))).toBe('600')
  expect(readdirSync(folder.path)).not.toContain('daemon.json.new')
  folder.retract()
  expect(folder.announced()).toBeUndefined()
  expect(existsSync(file('daemon.json'))).toBe(false)
})

test('a daemon that was killed is not found', () => {
  // Beyond what any system gives as the number of a process.
  folder.announce({ url: 'http://127.0.0.1:4242', pid: 2 ** 30 })
  expect(folder.announced()).toBeUndefined()
})

test('what somebody else wrote there announces nobody', () => {
  writeFileSync(file('daemon.json'), 'nonsense')
  expect(folder.announced()).toBeUndefined()
})

test('a folder that cannot be made is refused in a sentence', () => {
  writeFileSync(join(parent.path, 'file'), '')
  expect(() => new DataFolder(join(parent.path, 'file', 'data'))).toThrow(
    /^The data folder .*file\/data cannot be written: /,
  )
})
