import { expect, test } from 'vitest'
import { mergeMetadata } from '../../src/core/metadata.ts'

test.each([
  ['an absent update leaves it', { a: '1' }, undefined, { a: '1' }],
  ['an empty update leaves it', { a: '1' }, {}, { a: '1' }],
  ['a new key is added', { a: '1' }, { b: '2' }, { a: '1', b: '2' }],
  ['a known key is replaced', { a: '1', b: '2' }, { a: '3' }, { a: '3', b: '2' }],
  ['an empty value removes its key', { a: '1', b: '2' }, { a: '' }, { b: '2' }],
  ['an empty value of an unknown key adds none', { a: '1' }, { b: '' }, { a: '1' }],
  ['an empty string removes all', { a: '1', b: '2' }, '', {}],
] as const)('%s', (_, current, update, merged) => {
  expect(mergeMetadata(current, update)).toEqual(merged)
})

test('merging does not modify its arguments', () => {
  const current = { a: '1' }
  mergeMetadata(current, { a: '', b: '2' })
  expect(current).toEqual({ a: '1' })
})
