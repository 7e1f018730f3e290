import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  MAX_FIXTURE_BYTES,
  MAX_FIXTURE_FILES,
  MAX_FIXTURE_OBJECTS,
  MAX_FIXTURE_PARAMETERS,
} from '../../../src/core/fixture-limits.ts'
import { processorTime } from '../../processor-time.ts'
import { type Body, startTwin, type Twin, type TwinResponse } from '../../twin.ts'
import { asOperator, expectRefusal, invalid, unchanged } from '../support.ts'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

/** Quadratic checks take minutes: each of thousands of entries is compared with all others. */
const ALLOWED_MS = 5_000

const post = (...contents: readonly unknown[]): Promise<TwinResponse> => {
  const files = contents.map((content, index) => ({ name: `${index}.json`, content }))
  return asOperator(twin)('POST', 'fixtures', { files })
}
/** Makes a number of entries of a section. */
const many = <T>(count: number, entry: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => entry(index))

const secretOf = (index: number) => `sk_test_${String(index).padStart(24, '0')}`

describe('fixtures are refused, and make nothing', () => {
  test.each<[string, readonly unknown[]]>([
    ['a section', [{ customers: many(MAX_FIXTURE_OBJECTS + 1, () => ({})) }]],
    [
      'several files',
      [{ customers: many(6_000, () => ({})) }, { products: many(6_000, () => ({ name: 'Pro' })) }],
    ],
    ['the sections of merchants', [{ merchants: many(11, () => ({ customers: many(1_000, () => ({})) })) }]],
    ['keys', [{ merchants: [{ keys: many(10_000, (index) => ({ secret: secretOf(index) })) }] }]],
    ['items of subscriptions', [{ subscriptions: many(501, () => ({ items: many(20, () => ({})) })) }]],
    [
      'discounts of items',
      [{ subscriptions: many(30, () => ({ items: many(20, () => ({ discounts: many(19, () => ({})) })) })) }],
    ],
    ['entries that are no objects', [{ apps: many(20_000, () => 1) }]],
  ])('for too many objects: %s', async (_, contents) => {
    const response = await unchanged(twin, () => post(...contents))
    expectRefusal(response, invalid(null))
    expect(response.body.error.message).toMatch(
      /^The fixtures have [12]\d,\d{3} objects; at most 10,000 can be loaded at once/,
    )
  })

  test('for too many files, however small', async () => {
    const response = await post(...many(MAX_FIXTURE_FILES + 1, () => ({ unknown: 1 })))
    expectRefusal(response, invalid(null))
    expect(response.body.error.message).toBe(
      'There are 1,001 fixtures files; at most 1,000 can be loaded at once. Load them in parts.',
    )
    expect((await post(...many(MAX_FIXTURE_FILES, () => ({})))).status).toBe(200)
  })

  test('for their size in bytes, before they are read', async () => {
    const body = JSON.stringify({
      files: [{ name: 'a', content: { $schema: 'x'.repeat(MAX_FIXTURE_BYTES) } }],
    })
    const response = await asOperator(twin)('POST', 'fixtures', body)
    expectRefusal(response, invalid(null))
    expect(response.body.error.message).toBe('The body is larger than 4194304 bytes')
  })

  test('for too many parameters, before they are parsed', async () => {
    const response = await post({ zebra: Array(MAX_FIXTURE_PARAMETERS).fill([]) })
    expectRefusal(response, invalid(null))
    expect(response.body.error.message).toBe('A request can have at most 200,000 parameters')
    const parsed = await post({ zebra: Array(MAX_FIXTURE_PARAMETERS - 10).fill([]) })
    expect(parsed.body.error.code).toBe('parameter_unknown')
  })
})

test('as many as are allowed are loaded', async () => {
  const { status, body } = await post({ customers: many(MAX_FIXTURE_OBJECTS, () => ({})) })
  expect([status, body.counts]).toEqual([200, { customer: MAX_FIXTURE_OBJECTS }])
})

describe('of thousands of mistakes only those that are shown are worked out', () => {
  const names = many(4_000, (index) => ({ ref: `customer-${index}-${'a'.repeat(45)}` }))
  const methods = many(4_000, (index) => ({ customer: `${'b'.repeat(50)}${index}`, test_id: 'pm_card_visa' }))
  const url = 'http://localhost/'
  test.each<[string, Body, number]>([
    ['names that nothing has', { customers: names, payment_methods: methods }, 4_000],
    ['names that are not known', { customers: many(9_000, () => ({ nmae: 'a' })) }, 9_000],
    [
      'many of them in one object',
      { customers: [Object.fromEntries(many(20_000, (index) => [`nmae${index}`, 1]))] },
      20_000,
    ],
    [
      'events that there are not',
      { webhook_endpoints: many(5_000, () => ({ url, enabled_events: ['invoice.payed', 'x'.repeat(256)] })) },
      10_000,
    ],
    [
      'keys that are given twice',
      { merchants: [{ keys: many(9_000, () => ({ secret: secretOf(0) })) }] },
      8_999,
    ],
  ])('%s', async (_, content, count) => {
    let response: TwinResponse | undefined
    const taken = await processorTime(async () => {
      response = await post(content)
    })
    expect(response?.body.error.message).toMatch(new RegExp(` \\(and ${count - 1} more\\)$`))
    expect(response?.body.error.mistakes).toHaveLength(100)
    expect(taken).toBeLessThan(ALLOWED_MS)
  })
})

test('each of thousands of keys is looked for by its hash', async () => {
  const taken = await processorTime(async () => {
    const { status } = await post({
      merchants: [{ keys: many(5_000, (index) => ({ secret: secretOf(index) })) }],
    })
    expect(status).toBe(200)
  })
  expect(taken).toBeLessThan(ALLOWED_MS)
})
