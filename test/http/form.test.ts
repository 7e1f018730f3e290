import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeForm, decodeJson } from '../../src/http/form.ts'
import { keptBytes } from '../kept-memory.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { expectRefused, FORM, invalid, postForm, toForm } from './support.ts'

/** Converts lists of the decoder to arrays. */
function listed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, child]) => [key, listed(child)] as const)
  const isList = entries.length > 0 && entries.every(([key]) => /^\d+$/.test(key))
  return isList ? entries.map(([, child]) => child) : Object.fromEntries(entries)
}

test('a value of a long form does not keep the whole form in memory', async () => {
  const kept: unknown[] = []
  const decode = () => {
    for (let number = 0; number < 50; number += 1) {
      const form = `name=more-than-12-letters&number=${number}&password=${'x'.repeat(1_000_000)}`
      kept.push(decodeForm(Buffer.from(form).toString()).name)
    }
  }
  expect(await keptBytes(decode)).toBeLessThan(5_000_000)
  expect(kept[0]).toBe('more-than-12-letters')
})

test('a long form is decoded as a short one', () => {
  const form = (length: number) => `name=a+b%2Bc+%C3%A9+é&text=${'+a'.repeat(length)}&a+b[c+d]=+`
  const { text, ...others } = decodeForm(form(10_000))
  expect(text).toBe(' a'.repeat(10_000))
  expect(others).toEqual({ name: 'a b+c é é', 'a b': { 'c d': ' ' } })
  expect(decodeForm(form(1))).toEqual({ ...others, text: ' a' })
})

describe('a form', () => {
  test.each<[string, Body]>([
    ['', {}],
    ['name=Ada', { name: 'Ada' }],
    ['name=', { name: '' }],
    ['name', { name: '' }],
    ['name=Ada+Lovelace%21', { name: 'Ada Lovelace!' }],
    ['name=a%2Bb', { name: 'a+b' }],
    ['name=a=b', { name: 'a=b' }],
    ['name=one&name=two', { name: 'two' }],
    ['&&name=Ada&', { name: 'Ada' }],
    ['metadata[k]=v&metadata[l]=w', { metadata: { k: 'v', l: 'w' } }],
    ['metadata%5Bk%5D=v', { metadata: { k: 'v' } }],
    ['metadata[a.b c]=v', { metadata: { 'a.b c': 'v' } }],
    ['a[b][c][d]=1', { a: { b: { c: { d: '1' } } } }],
    ['expand[]=a&expand[]=b', { expand: ['a', 'b'] }],
    ['types[0]=a&types[1]=b', { types: ['a', 'b'] }],
    ['types[1]=b&types[0]=a', { types: ['a', 'b'] }],
    ['types[7]=b&types[3]=a', { types: ['a', 'b'] }],
    ['types[10]=c&types[9]=b&types[8]=a', { types: ['a', 'b', 'c'] }],
    ['items[0][price]=p&items[0][quantity]=2', { items: [{ price: 'p', quantity: '2' }] }],
    ['items[][price]=p&items[][quantity]=2', { items: [{ price: 'p', quantity: '2' }] }],
    ['items[][price]=p&items[][price]=q', { items: [{ price: 'p' }, { price: 'q' }] }],
    [
      'items[][price]=p&items[][quantity]=2&items[][price]=q&items[][quantity]=3',
      {
        items: [
          { price: 'p', quantity: '2' },
          { price: 'q', quantity: '3' },
        ],
      },
    ],
    ['items%5B%5D%5Bprice%5D=p', { items: [{ price: 'p' }] }],
    ['a]b=1', { 'a]b': '1' }],
    ['[a]=1', { '[a]': '1' }],
    ['toString=1&valueOf=2', { toString: '1', valueOf: '2' }],
    ['toString[a]=1', { toString: { a: '1' } }],
    ['metadata[hasOwnProperty]=1', { metadata: { hasOwnProperty: '1' } }],
  ])('%s', (text, expected) => {
    expect(listed(decodeForm(text))).toEqual(expected)
  })

  test.each([['a=1&a[b]=2'], ['a[b]=2&a=1'], ['a[]=1&a[0][b]=2'], ['a[b][c]=1&a[b]=2']])(
    'that contradicts itself is refused: %s',
    (text) => {
      expect(() => decodeForm(text)).toThrow(/shapes/)
    },
  )

  test.each([20, 1_000, 100_000])('that nests %d deep is refused', (depth) => {
    expect(() => decodeForm(`a${'[b]'.repeat(depth)}=1`)).toThrow(/deep/)
  })

  test('of many entries is read in linear time', () => {
    const entries = 30_000
    const started = performance.now()
    expect(Object.keys(decodeForm('a[]=x&'.repeat(entries)).a as Body)).toHaveLength(entries)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  test('does not change prototypes', () => {
    for (const text of ['__proto__[polluted]=1', 'constructor[prototype][polluted]=1', 'a[__proto__][b]=1']) {
      expect(() => decodeForm(text)).toThrow(/not allowed/)
    }
    expect(() => decodeJson('{"a":[{"__proto__":{"polluted":1}}]}')).toThrow(/not allowed/)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

describe('a forbidden key', () => {
  test.each(['__proto__', 'constructor', 'prototype'])('%s is refused at any position', async (key) => {
    for (const body of [`{"${key}":1}`, `{"metadata":{"${key}":"x"}}`, `{"zebra":[{"${key}":1}]}`]) {
      await expectRefused(twin, ['POST', '/v1/customers', body], invalid(null))
    }
    const escaped = `{"\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}":1}`
    await expectRefused(twin, ['POST', '/v1/customers', escaped], invalid(null))
    for (const body of [`${key}=1`, `metadata[${key}]=x`, `metadata%5B${key}%5D=x`, `zebra[][${key}]=x`]) {
      await expectRefused(twin, ['POST', '/v1/customers', body, FORM], invalid(null))
    }
    await expectRefused(twin, ['GET', `/v1/customers?${key}=1`], invalid(null))
    await expectRefused(twin, ['DELETE', `/v1/customers/cus_1?${key}=1`], invalid(null))
  })
})

describe('the scalars of a form', () => {
  test.each<[string, number]>([
    ['100', 100],
    ['0', 0],
    ['99999999', 99_999_999],
    ['0100', 100],
  ])('%j is an integer', async (text, amount) => {
    const response = await postForm(twin, '/v1/prices', { unit_amount: text, currency: 'usd' })
    expect(response.body.unit_amount).toBe(amount)
  })

  test.each(['', ' 1', '+1', '1.0', '1e2', '0x10', '1,000', '١', 'NaN', 'true', '9'.repeat(40)])(
    '%j is no integer',
    async (text) => {
      const body = toForm({ unit_amount: text, currency: 'usd' })
      await expectRefused(twin, ['POST', '/v1/prices', body, FORM], invalid('unit_amount'))
    },
  )

  test.each(['1', '0', 'yes', 'TRUE', 'on', ''])('%j is no boolean', async (text) => {
    const body = toForm({ unit_amount: '1', currency: 'usd', active: text })
    await expectRefused(twin, ['POST', '/v1/prices', body, FORM], invalid('active'))
  })

  test('of JSON are not converted', async () => {
    for (const [body, param] of [
      [{ unit_amount: '100', currency: 'usd' }, 'unit_amount'],
      [{ unit_amount: 100, currency: 'usd', active: 'true' }, 'active'],
      [{ unit_amount: 100, currency: 'usd', nickname: 5 }, 'nickname'],
    ] as const) {
      await expectRefused(twin, ['POST', '/v1/prices', body], invalid(param))
    }
  })
})
