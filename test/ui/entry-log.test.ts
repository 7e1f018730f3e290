import { expect, test } from 'vitest'
import { append, EMPTY_LOG, type Entry, MAX_ENTRIES, paused, resumed } from '../../src/ui/entry-log.ts'
import { sampleEvents } from './samples.ts'

const numbers = (entries: readonly Entry[] | undefined) => entries?.map(({ n }) => n)

test('events and notes are numbered in the order of arrival', () => {
  const log = append(append(EMPTY_LOG, sampleEvents(2)), ['a note', ...sampleEvents(1, 3)])
  expect(numbers(log.entries)).toEqual([1, 2, 3, 4])
  expect(log.entries[2]).toEqual({ n: 3, note: 'a note' })
  expect(log).toMatchObject({ next: 5, arrived: 3 })
})

test('at most MAX_ENTRIES are kept, the newest', () => {
  let log = EMPTY_LOG
  for (let n = 0; n < 3; n += 1) log = append(log, sampleEvents(MAX_ENTRIES - 1))
  expect(log.entries).toHaveLength(MAX_ENTRIES)
  expect(log.entries.at(-1)?.n).toBe(3 * (MAX_ENTRIES - 1))
  expect(log.arrived).toBe(3 * (MAX_ENTRIES - 1))
})

test('while paused, new entries are held back, and added when resumed', () => {
  const standing = append(paused(append(EMPTY_LOG, sampleEvents(2))), sampleEvents(2, 3))
  expect(numbers(standing.entries)).toEqual([1, 2])
  expect(numbers(standing.held)).toEqual([3, 4])
  const going = resumed(standing)
  expect(numbers(going.entries)).toEqual([1, 2, 3, 4])
  expect(going.held).toBeUndefined()
})

test('pausing twice has no further effect', () => {
  const standing = append(paused(EMPTY_LOG), sampleEvents(1))
  expect(paused(standing)).toEqual(standing)
})

test('held entries are limited too, and the list does not change', () => {
  const full = append(EMPTY_LOG, sampleEvents(MAX_ENTRIES))
  const standing = append(paused(full), sampleEvents(MAX_ENTRIES + 10))
  expect(standing.entries).toBe(full.entries)
  expect(standing.held).toHaveLength(MAX_ENTRIES)
  expect(resumed(standing).entries).toHaveLength(MAX_ENTRIES)
  expect(resumed(standing).entries.at(-1)?.n).toBe(2 * MAX_ENTRIES + 10)
})
