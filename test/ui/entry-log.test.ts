import { describe, expect, test } from 'vitest'
import {
  append,
  EMPTY_LOG,
  type Entry,
  entryOf,
  MAX_CHARACTERS,
  MAX_ENTRIES,
  paused,
  resumed,
  update,
} from '../../src/ui/entry-log.ts'
import { sampleDelivery, sampleEvent, sampleEvents } from './samples.ts'

const numbers = (entries: readonly Entry[] | undefined) => entries?.map(({ n }) => n)

test('events and notes are numbered in the order of arrival', () => {
  const log = append(append(EMPTY_LOG, sampleEvents(2)), ['a note', ...sampleEvents(1, 3)])
  expect(numbers(log.entries)).toEqual([1, 2, 3, 4])
  expect(log.entries[2]).toMatchObject({ n: 3, note: 'a note' })
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

describe('large entries', () => {
  const large = (n: number, share: number): Entry => ({
    ...entryOf(n, sampleEvent(n)),
    size: share * MAX_CHARACTERS,
  })
  const logOf = (...entries: Entry[]) => ({ ...EMPTY_LOG, entries, next: entries.length + 1 })

  test('push out older ones beyond MAX_CHARACTERS', () => {
    const log = append(logOf(large(1, 0.5), large(2, 0.5), large(3, 0.4)), sampleEvents(1, 4))
    expect(numbers(log.entries)).toEqual([2, 3, 4])
    expect(log).toMatchObject({ next: 5, arrived: 1 })
  })

  test('are kept if they are the newest, however large', () => {
    expect(numbers(resumed({ ...logOf(large(1, 0.1)), held: [large(2, 1.5)] }).entries)).toEqual([2])
    expect(numbers(append(logOf(large(1, 1.5)), sampleEvents(1, 2)).entries)).toEqual([2])
  })

  test('push out held ones, and the list does not change until it is resumed', () => {
    const log = { ...logOf(large(1, 0.8)), held: [large(2, 0.6), large(3, 0.5)], next: 4 }
    const standing = append(log, sampleEvents(1, 4))
    expect(standing.entries).toBe(log.entries)
    expect(numbers(standing.held)).toEqual([3, 4])
    expect(numbers(resumed(standing).entries)).toEqual([3, 4])
  })

  test('are measured as JSON, again when they have grown', () => {
    const grown = sampleDelivery(2, { endpoint_url: 'x'.repeat(MAX_CHARACTERS) })
    const log = append(EMPTY_LOG, [sampleDelivery(1), sampleDelivery(2), sampleDelivery(3)])
    expect(log.entries[0]?.size).toBe(JSON.stringify(sampleDelivery(1)).length)
    expect(numbers(update(log, [grown]).entries)).toEqual([3])
  })
})
