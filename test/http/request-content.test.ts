import { describe, expect, test, vi } from 'vitest'
import {
  CONTENT_LENGTH,
  contentOf,
  presentContent,
  RequestContents,
  TOTAL_LENGTH,
} from '../../src/http/request-content.ts'

const KEY = 'sk_test_51SecretSecretSecretSecret'
const CARD = '4929 1234 5678 9012'

type Given = { raw?: Record<string, unknown>; isForm?: boolean; text?: string | null; isSecret?: boolean }

const kept = ({ raw, isForm = false, text = '{}', isSecret = false }: Given) =>
  contentOf({ body: raw && { raw, isForm }, idempotencyKey: undefined, text, isSecret })
const shown = (given: Given) => presentContent(kept(given))

describe('the parameters of a request', () => {
  test.each([
    [
      { amount: 5, currency: 'usd', confirm: true, customer: null },
      { amount: 5, currency: 'usd', confirm: true, customer: null },
    ],
    [
      { items: { 0: { price: 'price_1' }, 1: { price: 'price_2' } } },
      { items: [{ price: 'price_1' }, { price: 'price_2' }] },
    ],
    [{ items: [{ price: 'price_1' }, 'x'] }, { items: [{ price: 'price_1' }, 'x'] }],
    [{}, {}],
    [
      { card: { number: '1', cvc: '9', exp_year: 2030 } },
      { card: { number: '[redacted]', cvc: '[redacted]', exp_year: 2030 } },
    ],
    [{ number: '17' }, { number: '17' }],
    [
      { key: 'anything', metadata: { api_key: 'x', code: 'y', tier: 'gold' } },
      { key: '[redacted]', metadata: { api_key: '[redacted]', code: '[redacted]', tier: 'gold' } },
    ],
    [
      { code: ['anything'], client_secret: { a: 1 } },
      { code: '[redacted]', client_secret: '[redacted]' },
    ],
    [{ description: `my key is ${KEY}` }, { description: '[redacted]' }],
    [
      { description: CARD, list: [CARD, 4929123456789012] },
      { description: '[redacted]', list: ['[redacted]', '[redacted]'] },
    ],
    [
      { [KEY]: 1, a: { [CARD]: 2 } },
      { '[redacted]': '[redacted]', a: { '[redacted]': '[redacted]' } },
    ],
    [{ q: '%73k_test_51SecretSecret' }, { q: '[redacted]' }],
  ])('%j are shown as %j', (raw, expected) => {
    expect(shown({ raw }).params).toEqual(expected)
  })

  test('have no secrets in memory either', () => {
    expect(JSON.stringify(kept({ raw: { card: { number: CARD }, note: KEY } }))).not.toMatch(/4929|Secret/)
  })

  test('are cut at a length, and what a cut leaves of a secret is removed', () => {
    const raw = { first: 'a'.repeat(CONTENT_LENGTH - 41), note: `${KEY} `.repeat(2_000), last: 'b' }
    const { params, is_cut } = shown({ raw })
    expect(is_cut).toBe(true)
    expect(params).toEqual({ first: raw.first, note: '[redacted]' })
    const long = shown({ raw: { note: 'é'.repeat(CONTENT_LENGTH) } })
    expect(long.params).toEqual({ note: `${'é'.repeat(CONTENT_LENGTH - 5)}…` })
    const list = shown({ raw: { a: ['x'.repeat(CONTENT_LENGTH), 'y'] } })
    expect(shown({ raw: { ok: 1, ['n'.repeat(CONTENT_LENGTH)]: 1 } }).params).toEqual({ ok: 1 })
    expect(list.params).toEqual({ a: [`${'x'.repeat(CONTENT_LENGTH - 4)}…`] })
  })

  test('are null without a body', () => {
    expect(shown({})).toMatchObject({ params: null, body_format: null })
    expect(shown({ raw: { a: '1' }, isForm: true }).body_format).toBe('form')
  })
})

describe('a response', () => {
  test('is shown without secrets', () => {
    const text = `{"client_secret":"pi_1_secret_abc","secret":"whsec_abc","card":"${CARD}","amount":500}`
    const body = '{"client_secret":"pi_1_secret_…","secret":"whsec_…","card":"[redacted]","amount":500}'
    expect(shown({ text }).response_body).toBe(body)
  })

  test('that can have tokens is kept without them', () => {
    const text = '{"access_token":"oat_test_abcdefgh"}'
    expect(kept({ text, isSecret: true }).response).toBe('{"access_token":"oat_test_…"}')
  })

  test('that can have tokens is examined as far as it is kept', () => {
    const replace = vi.spyOn(String.prototype, 'replace')
    const { response } = kept({ text: `oat_test_abcdefgh ${'%25 '.repeat(100_000)}`, isSecret: true })
    const long = replace.mock.contexts.filter((text) => String(text).length > CONTENT_LENGTH + 1_000)
    replace.mockRestore()
    expect(long).toEqual([])
    expect(String(response)).toMatch(/^oat_test_… (?:%25 )+/)
  })

  test('that can have tokens is kept without one that begins at its end', () => {
    for (let end = 0; end <= 24; end += 1) {
      const before = 'x'.repeat(CONTENT_LENGTH - end - 1)
      const { response } = kept({
        text: `${before} oat_test_secretsecret, ${'y'.repeat(500)}`,
        isSecret: true,
      })
      expect(String(response)).not.toContain('secret')
      expect(String(response).startsWith('x'.repeat(CONTENT_LENGTH - 60))).toBe(true)
    }
  })

  test('is cut at a length, and null for a stream', () => {
    const long = shown({ text: 'é'.repeat(CONTENT_LENGTH + 1) })
    expect(long).toMatchObject({ response_body: `${'é'.repeat(CONTENT_LENGTH)}…`, is_cut: true })
    expect(shown({ text: 'x'.repeat(CONTENT_LENGTH) }).is_cut).toBe(false)
    expect(shown({ text: null }).response_body).toBeNull()
  })
})

describe('the contents of the newest requests', () => {
  const content = (length: number) => kept({ text: 'x'.repeat(length) })

  test('are those of a number of requests', () => {
    const contents = new RequestContents(3)
    for (let n = 1; n <= 5; n += 1) contents.add(content(n))
    expect([0, 1, 2, 3, 4, 5].map((number) => contents.get(number)?.length)).toEqual([
      undefined,
      undefined,
      3,
      4,
      5,
      undefined,
    ])
  })

  test('have at most a total length, however long the oldest are', () => {
    const contents = new RequestContents(1_000)
    const most = TOTAL_LENGTH / CONTENT_LENGTH
    for (let n = 0; n < most + 10; n += 1) contents.add(content(2 * CONTENT_LENGTH))
    const numbers = Array.from({ length: most + 10 }, (_, number) => number)
    expect(numbers.filter((number) => contents.get(number))).toEqual(numbers.slice(10))
    for (let n = 0; n < 1_000; n += 1) contents.add(content(1))
    expect(contents.get(most + 9)).toBeUndefined()
    expect(contents.get(most + 10)?.length).toBe(1)
  })
})
