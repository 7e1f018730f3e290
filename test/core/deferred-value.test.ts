import { expect, test, vi } from 'vitest'
import { copyWith, deferredLength, deferValue, hasSameDeferred } from '../../src/core/deferred-value.ts'

test('a deferred value is parsed once, when it is first needed', () => {
  const parse = vi.fn(JSON.parse)
  const object: { id: string; metadata?: object } = { id: 'price_1', metadata: {} }
  deferValue(object, 'metadata', '{"key":"value"}', parse)
  expect([object.id, deferredLength(object), parse.mock.calls.length]).toEqual(['price_1', 15, 0])
  const copy = { ...object }
  expect([copy.metadata, object.metadata]).toEqual([{ key: 'value' }, { key: 'value' }])
  expect(copy.metadata).toBe(object.metadata)
  expect(JSON.stringify(object)).toBe('{"id":"price_1","metadata":{"key":"value"}}')
  expect([parse.mock.calls.length, deferredLength(copy)]).toEqual([1, undefined])
})

test('the lengths of several deferred values add up', () => {
  const object = {}
  deferValue(object, 'items', '[1]', JSON.parse)
  deferValue(object, 'metadata', '{}', JSON.parse)
  expect([deferredLength(object), object]).toEqual([5, { items: [1], metadata: {} }])
})

test('a copy with other values parses none', () => {
  const parse = vi.fn(JSON.parse)
  const object: { count: number; metadata?: object } = { count: 1 }
  deferValue(object, 'metadata', '{"key":"value"}', parse)
  const copy = copyWith(object, { count: 2 })
  expect(hasSameDeferred(object, copy, 'metadata')).toBe(true)
  expect(hasSameDeferred(object, copy, 'count')).toBe(false)
  expect(hasSameDeferred(object, { ...object }, 'metadata')).toBe(false)
  parse.mockClear()
  expect([copy, object]).toEqual([
    { count: 2, metadata: { key: 'value' } },
    { count: 1, metadata: { key: 'value' } },
  ])
  expect(parse).not.toHaveBeenCalled()
  expect(copyWith({ count: 1, name: 'a' }, { count: 2 })).toEqual({ count: 2, name: 'a' })
})
