import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectRefusal, expectUnauthenticated, type Refusal, unknown } from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { SECTIONS, SENTENCES } from './interface-sentences.ts'
import { makeCharge, makeIntent, notInitialized, unexpectedState } from './support.ts'

describe('the contract', () => {
  test.each(SENTENCES)('$section: $sentence', async ({ file, title }) => {
    const source = await readFile(join(import.meta.dirname, '..', `${file}.test.ts`), 'utf8')
    const quoted = [`'${title}'`, `"${title}"`, `\`${title}\``]
    expect(quoted.some((text) => source.includes(text))).toBe(true)
  })

  test('is checked in every section', () => {
    expect([...new Set(SENTENCES.map(({ section }) => section))].sort()).toEqual(Object.keys(SECTIONS).sort())
  })

  test('is checked by no test that is left out', async () => {
    for (const file of new Set(SENTENCES.map(({ file }) => file))) {
      const source = await readFile(join(import.meta.dirname, '..', `${file}.test.ts`), 'utf8')
      expect(source).not.toMatch(/\b(test|describe)\.(skip|todo|only|fails)\b/)
    }
  })
})

test('an error has type, code, message and param, and only the further fields of its code', async () => {
  const twin = await openTwin()
  const { charge } = await makeCharge(twin)
  const { id } = await makeIntent(twin)
  const missing = { code: 'parameter_missing', param: 'amount' }
  for (const [method, path, body, refusal] of [
    ['GET', '/v1/nothing', undefined, unknown(null)],
    ['GET', '/v1/invoices/in_unknown', undefined, unknown()],
    ['POST', '/v1/payment_intents', { currency: 'usd' }, missing],
    ['POST', `/v1/payment_intents/${id}/confirm`, {}, notInitialized],
    ['POST', `/v1/payment_intents/${charge.payment_intent}/confirm`, {}, unexpectedState],
  ] as [string, string, unknown, Refusal][]) {
    const response = await twin.request(method, path, body)
    expectRefusal(response, refusal)
    const { doc_url, ...error } = response.body.error
    expect(Object.keys(error).sort()).toEqual(['code', 'message', 'param', 'type'])
  }
  expectUnauthenticated(await twin.request('GET', '/v1/customers', undefined, { Authorization: '' }))
  const declined = await twin.request('POST', `/v1/payment_intents/${id}/confirm`, {
    payment_method: 'pm_card_chargeDeclined',
  })
  const { doc_url, ...error } = declined.body.error
  expect(Object.keys(error).sort()).toEqual([
    'charge',
    'code',
    'decline_code',
    'message',
    'param',
    'payment_intent',
    'type',
  ])
})
