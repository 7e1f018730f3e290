import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adminTokenOf } from '../../src/daemon/admin-token.ts'
import { readFixtures } from '../../src/daemon/read-fixtures.ts'
import { readGivenFile, readSecretFile } from '../../src/text/given-file.ts'

let folder: string
let pipe: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'paytwin-given-'))
  pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a script in another process, which can write to the pipe while this process waits for it. */
const shell = (script: string) => spawn('sh', ['-c', script], { stdio: 'ignore' })

const limits = { maxBytes: 100_000, timeoutMs: 100 }

test('a file is read as a whole', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'é'.repeat(50_000))
  expect(readGivenFile(path, limits)).toEqual({ size: 100_000, content: Buffer.from('é'.repeat(50_000)) })
  writeFileSync(path, '')
  expect(readGivenFile(path, limits)).toEqual({ size: 0, content: Buffer.alloc(0) })
})

test('the size of a file that is too large is returned without reading it', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'x'.repeat(100_001))
  expect(readGivenFile(path, limits)).toEqual({ size: 100_001, content: Buffer.alloc(0) })
})

describe('a pipe', () => {
  test('is read until its writer closes it, also when it writes late and in parts', () => {
    const writer = shell(`sleep 0.2; exec >'${pipe}'; printf one; sleep 0.2; printf ' two'`)
    expect(readGivenFile(pipe, { maxBytes: 100, timeoutMs: 5_000 }).content.toString()).toBe('one two')
    writer.kill()
  })

  test('that no process opens for writing is given up', () => {
    expect(() => readGivenFile(pipe, limits)).toThrow(
      /pipe is a pipe that was not written and closed within 0\.1 s$/,
    )
  })

  test('whose writer does not close it is given up', () => {
    const writer = shell(`exec >'${pipe}'; printf one; exec sleep 5`)
    expect(() => readGivenFile(pipe, { maxBytes: 100, timeoutMs: 500 })).toThrow(
      /was not written and closed within/,
    )
    writer.kill()
  })
})

test('a device without an end is read no further than allowed', () => {
  expect(readGivenFile('/dev/zero', limits).size).toBe(100_001)
})

test('a file with a secret may end with a line break, and has at most 64 KiB', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'secret\n')
  expect(readSecretFile(path)).toBe('secret')
  expect(() => readSecretFile('/dev/zero')).toThrow('/dev/zero is larger than 65536 bytes')
})

test('a start refuses fixtures that are not UTF-8', () => {
  const path = join(folder, 'shop.json')
  writeFileSync(path, Buffer.from('{"customers": [{"name": "Ren\u00e9"}]}', 'latin1'))
  expect(() => readFixtures([path])).toThrow(`${path}:1:29: this is not UTF-8`)
})

describe('a start refuses a device without an end', () => {
  test('in place of its token file', async () => {
    const given = {
      place: { host: '127.0.0.1', address: '127.0.0.1' },
      adminToken: null,
      adminTokenFile: '/dev/zero',
      generateAdminToken: false,
    }
    await expect(adminTokenOf(given, null)).rejects.toThrow(
      'The admin token file cannot be read: /dev/zero is larger than 65536 bytes',
    )
  })

  test('in place of its fixtures', () => {
    expect(() => readFixtures(['/dev/zero'])).toThrow(
      /^The fixtures files have 4,194,305 bytes; at most 4,194,304/,
    )
  })
})
