import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DateFile } from '../../src/daemon/date-file.ts'
import { startTwin } from '../twin.ts'

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>()
  return { ...fs, writeSync: vi.fn(fs.writeSync) }
})

const NOW = Date.parse('2026-01-31T10:00:00Z')
const MONTH_END = Date.parse('2026-02-28T10:00:00Z')

test('a write that fails is reported and repeated, so that dates move when the disk works again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW })
  onTestFinished(() => void vi.useRealTimers())
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'date')
  const offset = () => readFileSync(path).readDoubleLE()
  const dates = new DateFile(path)
  expect(offset()).toBe(0)
  const twin = await startTwin({ now: '2026-01-31T10:00:00Z' })
  onTestFinished(() => twin.close())
  const failures: unknown[] = []
  dates.follow(twin.sandbox, (error) => failures.push(error))

  const full = new Error('ENOSPC')
  const fail = () => {
    throw full
  }
  const { writeSync: write } = await vi.importActual<typeof import('node:fs')>('node:fs')
  vi.mocked(writeSync).mockImplementation(fail)
  await twin.advance({ to: MONTH_END / 1_000 })
  expect([offset(), dates.now()]).toEqual([0, NOW / 1_000])
  vi.advanceTimersByTime(1_000)
  expect([offset(), dates.now()]).toEqual([0, NOW / 1_000 + 1])
  vi.mocked(writeSync).mockImplementation(write)
  vi.advanceTimersByTime(1_000)
  expect(Date.now() + offset()).toBe(MONTH_END)
  expect(failures).toEqual([full])
})

test.runIf(process.platform === 'linux')('a file that cannot be written is refused at once', () => {
  expect(() => new DateFile('/dev/full')).toThrow('ENOSPC')
})
