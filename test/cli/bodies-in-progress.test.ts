import { expect, test } from 'vitest'
import { BodiesInProgress } from '../../src/cli/bodies-in-progress.ts'

test('beyond the limit, the requests that began first are ended', () => {
  const ended: string[] = []
  const requestOf = (name: string) => ({ destroy: () => void ended.push(name) })
  const [first, second, third, fourth] = ['first', 'second', 'third', 'fourth'].map(requestOf)
  if (!first || !second || !third || !fourth) throw new Error('four requests')
  const bodies = new BodiesInProgress(100)
  bodies.add(first, 40)
  bodies.add(second, 30)
  bodies.add(first, 30)
  expect(ended).toEqual([])
  bodies.remove(second)
  bodies.add(third, 30)
  expect(ended).toEqual([])
  bodies.add(third, 1)
  expect(ended).toEqual(['first'])
  bodies.remove(first)
  bodies.add(fourth, 69)
  expect(ended).toEqual(['first'])
  bodies.add(fourth, 1)
  expect(ended).toEqual(['first', 'third'])
})
