import { expect, test, vi } from 'vitest'
import { deferredLength, deferValue } from '../../src/core/deferred-value.ts'

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
