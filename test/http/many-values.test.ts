import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_PARAMETERS } from '../../src/http/form.ts'
import { startTwin, type Twin } from '../twin.ts'
import { asOperator, expectRefusal, expectRefused, invalid, postForm, toForm } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const many = <T>(count: number, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))

test('the pairs of metadata are counted before their values are looked at', async () => {
  const metadata = many(51, [])
  const response = await expectRefused(twin, ['POST', '/v1/customers', { metadata }], invalid('metadata'))
  expect(response.body.error.message).toBe('Invalid value for metadata: expected at most 50 keys')
})

test('a name that nests too deep is refused, however deep', async () => {
  for (const depth of [16, 500_000]) {
    const response = await postForm(twin, '/v1/customers', `a${'[]'.repeat(depth)}=1`)
    expectRefusal(response, invalid(null))
    expect(response.body.error.message).toBe('Parameters can be nested at most 16 levels deep')
  }
})

test.each([
  ['names', (count: number) => ({ zebra: 1, ...many(count - 1, '') })],
  ['nested names', (count: number) => ({ zebra: many(count, '') })],
  ['entries of a list', (count: number) => ({ zebra: Array(count).fill('') })],
])('a request has at most 2,000 parameters: %s', async (_, params) => {
  const tooMany = { ...invalid(null), message: 'A request can have at most 2,000 parameters' }
  for (const [count, isAllowed] of [
    [MAX_PARAMETERS, true],
    [MAX_PARAMETERS + 1, false],
  ] as const) {
    const asJson = await twin.request('POST', '/v1/customers', JSON.stringify(params(count)))
    const asForm = await postForm(twin, '/v1/customers', toForm(params(count)))
    const ofOperator = await asOperator(twin)('POST', 'merchants', params(count))
    for (const response of [asJson, asForm, ofOperator]) {
      if (isAllowed) expect(response.status).toBe(201)
      else expect(response.body.error).toMatchObject(tooMany)
    }
  }
})

test('JSON that nests too deep is refused before it is parsed', async () => {
  const deep = await twin.request('POST', '/v1/customers', `{"zebra":${'['.repeat(500_000)}`)
  expectRefusal(deep, invalid(null))
  expect(deep.body.error.message).toBe('Parameters can be nested at most 16 levels deep')
  // Brackets in texts, and those that are closed, do not nest.
  const wide = { name: '[{"'.repeat(1_000), zebra: Array(1_000).fill([{}]) }
  expect((await twin.request('POST', '/v1/customers', JSON.stringify(wide))).status).toBe(201)
})

test('commas and ampersands within values are no parameters', async () => {
  const description = ',"\\",&'.repeat(600)
  const params = { description, zebra: ',&\\'.repeat(100_000) }
  expect((await twin.request('POST', '/v1/customers', JSON.stringify(params))).status).toBe(201)
  const response = await postForm(twin, '/v1/customers', toForm(params))
  expect(response.body).toMatchObject({ description })
})
