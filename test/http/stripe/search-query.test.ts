import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/core/errors.ts'
import { asSearch, type SearchableKind } from '../../../src/http/stripe/search/fields.ts'
import { parseQuery } from '../../../src/http/stripe/search/parse.ts'

const clause = (field: string, operator: string, value: unknown) => ({
  field,
  key: undefined,
  operator,
  value,
  isNegated: false,
})

describe('a query', () => {
  test.each([
    ['email:"ada@example.com"', [clause('email', ':', 'ada@example.com')]],
    ["email~'ada'", [clause('email', '~', 'ada')]],
    ['amount>=1000', [clause('amount', '>=', 1000)]],
    ['amount:-5', [clause('amount', ':', -5)]],
    ['active:true', [clause('active', ':', true)]],
    ['phone:NULL', [clause('phone', ':', null)]],
    ['name:"a \\"b\\" c"', [clause('name', ':', 'a "b" c')]],
    ['-status:"active"', [{ ...clause('status', ':', 'active'), isNegated: true }]],
    [`metadata['a"b']:'c'`, [{ ...clause('metadata', ':', 'c'), key: 'a"b' }]],
    ['metadata["a"]:null', [{ ...clause('metadata', ':', null), key: 'a' }]],
    ['payment_method_details.card.last4:4242', [clause('payment_method_details.card.last4', ':', 4242)]],
    ['  created>1   created<9 ', [clause('created', '>', 1), clause('created', '<', 9)]],
    ['created>1 and created<9', [clause('created', '>', 1), clause('created', '<', 9)]],
  ])('%s is parsed', (text, clauses) => {
    expect(parseQuery(text)).toEqual({ joined: 'and', clauses })
  })

  test('joins its clauses with OR', () => {
    const { joined, clauses } = parseQuery('name:"AND" or name:"OR" OR name:"c"')
    expect(joined).toBe('or')
    expect(clauses.map(({ value }) => value)).toEqual(['AND', 'OR', 'c'])
  })

  test.each([
    ['asdf', 'At character 5: expected an operator such as : after asdf, but the query ends'],
    ['email:', 'At character 7: expected a value'],
    ['email:ada', 'At character 7: expected a value: a text in quotes, a number or null, not ada'],
    ['email:"ada', 'At character 7: expected a value'],
    [':"ada"', 'At character 1: expected a field'],
    ['email:"ada" AND', 'At character 16: expected an operator such as : after AND'],
    ['email:"a"name:"b"', 'At character 10: expected a space before the next clause'],
    ['a:1 AND b:2 OR c:3', 'At character 12: AND and OR cannot be used in one query'],
    ['(a:1)', 'At character 1: expected a field such as email, not (a:1)'],
    ['a:1.2.3', 'At character 3: expected a value'],
    ['-metadata[a]:"b"', 'At character 10: expected an operator'],
    [Array(11).fill('a:1').join(' '), 'a query can have at most 10 clauses'],
  ])('%s is refused with the place of the mistake', (text, message) => {
    const error = refusalOf(() => parseQuery(text))
    expect(error).toMatchObject({ status: 400, param: 'query' })
    expect(error.message).toContain('We were unable to parse your search query.')
    expect(error.message).toContain(message)
  })
})

describe('a field', () => {
  test.each([
    [
      'price',
      'foo:"bar"',
      'Field `foo` is an unsupported search field for resource `prices`. Supported fields: active,',
    ],
    ['customer', 'metadata:"bar"', 'Field `metadata` is an unsupported search field'],
    ['customer', 'email["a"]:"bar"', 'Field `email` is an unsupported search field'],
    ['customer', 'email>"bar"', 'does not support the operator >. It supports : ~'],
    ['subscription', 'status~"act"', 'does not support the operator ~. It supports :'],
    ['invoice', 'total:"many"', 'The field `total` needs a number'],
    ['invoice', 'total>null', 'can be compared with null only by the operator :'],
    ['price', 'active:"maybe"', 'The field `active` needs true or false'],
    ['customer', 'email:5', 'The field `email` needs a text in quotes, or null'],
    ['customer', 'email~"ab"', 'needs at least 3 characters after the operator ~'],
    ['customer', `name~"${'a'.repeat(201)}"`, 'takes at most 200 characters after the operator ~'],
  ] as [SearchableKind, string, string][])('of a %s refuses %s', (kind, text, message) => {
    const error = refusalOf(() => asSearch(kind, `${kind}s`, parseQuery(text)))
    expect(error).toMatchObject({ status: 400, param: 'query' })
    expect(error.message).toContain(message)
  })
})

function refusalOf(run: () => unknown): ApiError {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('expected a refusal')
}
