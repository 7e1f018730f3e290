import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deferredLength } from '../../src/core/deferred-value.ts'
import { codecOf } from '../../src/store/codec.ts'
import { columnsOf, privateFieldsOf, STORED_KINDS } from '../../src/store/columns.ts'
import type { StoredKind, StoredObjects } from '../../src/store/stored-kind.ts'

const VALUES = {
  integer: fc.option(fc.integer()),
  text: fc.option(fc.string()),
  boolean: fc.boolean(),
  json: fc.option(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant(null)))),
}

/** Generates an object of a kind whose fields have any value of their type. */
const objectOf = (kind: StoredKind): fc.Arbitrary<StoredObjects[StoredKind]> =>
  fc.record(
    Object.fromEntries(Object.entries(columnsOf(kind)).map(([name, type]) => [name, VALUES[type]])),
  ) as unknown as fc.Arbitrary<StoredObjects[StoredKind]>

const namesOf = (kind: StoredKind) => Object.keys(columnsOf(kind))
const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

describe.each(STORED_KINDS)('%s', (kind) => {
  const codec = codecOf(kind)

  test('is decoded to the encoded object, with the same order of fields', () => {
    fc.assert(
      fc.property(objectOf(kind), (object) => {
        const read = codec.decode([...codec.encode(object), 'a further value'])
        expect(read).toEqual(object)
        expect(Object.keys(read)).toEqual(namesOf(kind))
      }),
    )
  })

  test('is decoded from values whose nested ones are parsed', () => {
    fc.assert(
      fc.property(objectOf(kind), (object) => {
        const values = codec.encode(object)
        const parsed = codec.fields.map(({ type }, place) => {
          const value = values[place]
          return type === 'json' && value !== null ? JSON.parse(String(value)) : value
        })
        expect(codec.decodeParsed([...parsed, 'a further value'])).toEqual(codec.decode(values))
      }),
    )
  })

  test('is compared by the content of its fields', () => {
    fc.assert(
      fc.property(objectOf(kind), objectOf(kind), (before, other) => {
        const names = namesOf(kind).filter((_, place) => place % 3 === 0)
        const after = {
          ...before,
          ...Object.fromEntries(names.map((name) => [name, Reflect.get(other, name)])),
        }
        const expected = names.filter((name) => !same(Reflect.get(before, name), Reflect.get(after, name)))
        const changes = codec.changes(structuredClone(before), after)
        expect(changes.fields.map(({ name }) => name)).toEqual(expected)
        expect(changes.encode(after)).toEqual(
          codec.encode(after).filter((_, place) => expected.includes(namesOf(kind)[place] ?? '')),
        )
      }),
    )
  })

  test('shows the replaced values of its public fields', () => {
    fc.assert(
      fc.property(objectOf(kind), objectOf(kind), (before, after) => {
        const { fields, publicText } = codec.changes(before, after)
        const shown = fields.map(({ name }) => name).filter((name) => !privateFieldsOf(kind).includes(name))
        const expected = Object.fromEntries(shown.map((name) => [name, Reflect.get(before, name)]))
        expect(publicText?.(before) ?? '{}').toBe(JSON.stringify(expected))
      }),
    )
  })
})

test('a large nested value is parsed when it is needed', () => {
  const codec = codecOf('customer')
  const [sample] = fc.sample(objectOf('customer'), { numRuns: 1, seed: 1 })
  const object = { ...sample, metadata: { large: 'x'.repeat(10_000) } } as StoredObjects['customer']
  const read = codec.decode(codec.encode(object))
  expect(deferredLength(read)).toBeGreaterThan(10_000)
  expect(Object.getOwnPropertyDescriptor(read, 'metadata')?.get).toBeDefined()
  expect(codec.changes(read, { ...read }).fields).toEqual([])
  expect(read).toEqual(object)
})
