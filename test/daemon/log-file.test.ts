import { execFileSync } from 'node:child_process'
import fs, {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { LogFile } from '../../src/daemon/log-file.ts'
import { temporaryFolder } from '../cli/executable.ts'

let folder: ReturnType<typeof temporaryFolder>
let path: string
beforeEach(() => {
  folder = temporaryFolder()
  path = join(folder.path, 'daemon.log')
})
afterEach(() => folder.remove())

const text = (name: string) => readFileSync(name, 'utf8')

test('a log continues after a restart', () => {
  for (const line of ['one\n', 'two\n']) {
    const log = new LogFile(path)
    log.write(line)
    log.close()
  }
  expect(text(path)).toBe('one\ntwo\n')
})

test('a nearly full disk gets no more lines, so that a start still has room', () => {
  let free = 1_000_000
  const log = new LogFile(path, { free: () => free })
  log.write('one\n')
  free = 100_000
  log.write(`${'x'.repeat(4_096)}\n`)
  log.write('two\n')
  free = 1_000_000
  log.write(`${'y'.repeat(4_096)}\n`)
  expect(text(path)).toBe(`one\n${'y'.repeat(4_096)}\n`)
  log.close()
})

test('a log that is too large is rotated, and replaces the previous rotated one', () => {
  const log = new LogFile(path, { maxBytes: 10 })
  for (const line of ['1 ...\n', '2 .\n', '3\n', '4 ......\n', '5\n']) log.write(line)
  expect(text(path)).toBe('5\n')
  expect(text(`${path}.1`)).toBe('4 ......\n')
  log.close()
})

test('the existing size counts', () => {
  writeFileSync(path, 'a long time ago\n')
  const log = new LogFile(path, { maxBytes: 20 })
  log.write('today\n')
  log.close()
  expect(text(path)).toBe('today\n')
})

test('a line above the maximum size is written completely', () => {
  const log = new LogFile(path, { maxBytes: 4 })
  log.write('longer than four\n')
  log.close()
  expect(text(path)).toBe('longer than four\n')
})

test('only its owner can read it, whatever its previous mode', () => {
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  const log = new LogFile(path, { maxBytes: 1 })
  log.write('one\n')
  log.write('two\n')
  log.close()
  for (const file of [path, `${path}.1`]) expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
})

test('a full disk does not stop the daemon', () => {
  const log = new LogFile(path)
  log.close()
  expect(() => log.write('lost\n')).not.toThrow()
})

test('a pipe without a reader is refused without blocking', () => {
  execFileSync('mkfifo', [path])
  expect(() => new LogFile(path)).toThrow(/ENXIO/)
})

test('the target of a link is not written, and keeps its mode', () => {
  const elsewhere = join(folder.path, 'elsewhere')
  writeFileSync(elsewhere, 'kept')
  chmodSync(elsewhere, 0o644)
  symlinkSync(elsewhere, path)
  expect(() => new LogFile(path)).toThrow(/ELOOP/)
  expect([text(elsewhere), statSync(elsewhere).mode & 0o777]).toEqual(['kept', 0o644])
})

test('another user’s file is refused, and keeps its mode', () => {
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  const user = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(path).uid + 1)
  onTestFinished(() => user.mockRestore())
  expect(() => new LogFile(path)).toThrow(/daemon\.log: it belongs to another user/)
  expect(statSync(path).mode & 0o777).toBe(0o644)
})

test('a pipe with a reader is refused', () => {
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
  expect(() => new LogFile(path)).toThrow(/daemon\.log: it is not a file/)
})

test('a rotation that fails continues the old file, and works once there is room', () => {
  const log = new LogFile(path, { maxBytes: 10 })
  log.write('12345678\n')
  // A folder of this name: neither it nor a file can take its place.
  mkdirSync(`${path}.1`)
  log.write('second\n')
  // A descriptor that is opened now gets another number.
  const other = openSync(join(folder.path, 'other'), 'w')
  onTestFinished(() => closeSync(other))
  log.write('third\n')
  expect(text(join(folder.path, 'other'))).toBe('')
  expect(text(path)).toBe('12345678\nsecond\nthird\n')
  rmdirSync(`${path}.1`)
  log.write('fourth\n')
  expect([text(path), text(`${path}.1`)]).toEqual(['fourth\n', '12345678\nsecond\nthird\n'])
  log.close()
})

test('a log file whose new file cannot be opened is continued under its old name', () => {
  const log = new LogFile(path, { maxBytes: 10 })
  log.write('12345678\n')
  // Opening the new file fails after the old one was renamed: it belongs to somebody else.
  const user = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(path).uid + 1)
  log.write('second\n')
  user.mockRestore()
  const other = openSync(join(folder.path, 'other'), 'w')
  onTestFinished(() => closeSync(other))
  log.write('third\n')
  expect(text(join(folder.path, 'other'))).toBe('')
  expect(text(path)).toContain('third')
  log.close()
})

test('a rotation that fails to close the old file does not use its descriptor again', () => {
  const log = new LogFile(path, { maxBytes: 10 })
  log.write('12345678\n')
  const close = vi.spyOn(fs, 'closeSync').mockImplementationOnce((file) => {
    close.mockRestore()
    syncBuiltinESMExports()
    closeSync(file)
    throw Object.assign(new Error('EIO: i/o error, close'), { code: 'EIO' })
  })
  syncBuiltinESMExports()
  log.write('second\n')
  const other = openSync(join(folder.path, 'other'), 'w')
  onTestFinished(() => closeSync(other))
  log.write('3\n')
  log.write('fourth\n')
  writeSync(other, 'still open')
  expect([text(path), text(`${path}.1`)]).toEqual(['fourth\n', 'second\n3\n'])
  expect(text(join(folder.path, 'other'))).toBe('still open')
  log.close()
})
