import { execFileSync } from 'node:child_process'
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogTail } from '../../../src/cli/daemon/log-tail.ts'
import { temporaryFolder } from '../executable.ts'

let folder: ReturnType<typeof temporaryFolder>
let path: string
const ended = new AbortController()
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder.path, 'daemon.log')
  writeFileSync(path, 'three\nfour\n')
})
afterEach(() => folder.remove())

function last(count: number): string[] {
  const tail = new LogTail(path)
  const lines = tail.last(count)
  tail.close()
  return lines
}

/** The lines that follow, one at a time. */
const following = () => {
  const tail = new LogTail(path)
  tail.last(0)
  const iterator = tail.follow(ended.signal)
  return async () => (await iterator.next()).value
}

test('the requested number of last lines is returned', () => {
  expect(last(1)).toEqual(['four'])
  expect(last(2)).toEqual(['three', 'four'])
  expect(last(0)).toEqual([])
  expect(last(100)).toEqual(['three', 'four'])
})

test('the rotated file supplies missing lines', () => {
  writeFileSync(`${path}.1`, 'one\ntwo\n')
  expect(last(2)).toEqual(['three', 'four'])
  expect(last(3)).toEqual(['two', 'three', 'four'])
})

test('a line is returned when it is complete, even if it is written in pieces that split a character', async () => {
  const next = following()
  const line = Buffer.from('fünf\nsechs')
  appendFileSync(path, line.subarray(0, 2))
  const first = next()
  appendFileSync(path, line.subarray(2))
  expect(await first).toBe('fünf')
  const second = next()
  appendFileSync(path, '!\n')
  expect(await second).toBe('sechs!')
})

test('following continues in the new file after a rotation, without losing a line', async () => {
  const next = following()
  const first = next()
  appendFileSync(path, 'five\nsix\n')
  renameSync(path, `${path}.1`)
  writeFileSync(path, 'seven\n')
  expect([await first, await next(), await next()]).toEqual(['five', 'six', 'seven'])
})

test('following waits while there is no file', async () => {
  const next = following()
  const first = next()
  renameSync(path, `${path}.1`)
  appendFileSync(`${path}.1`, 'five\n')
  expect(await first).toBe('five')
  const second = next()
  writeFileSync(path, 'six\n')
  expect(await second).toBe('six')
})

test('a pipe is refused without blocking', () => {
  const pipe = join(folder.path, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(() => new LogTail(pipe)).toThrow(`${pipe} is not a file`)
  execFileSync('mkfifo', [`${path}.1`])
  expect(() => last(10)).toThrow(`The log cannot be read: ${path}.1 is not a file`)
})
