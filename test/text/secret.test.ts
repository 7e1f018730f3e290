import { describe, expect, test } from 'vitest'
import { holdsSecret, maskSecrets, patternOfSecret } from '../../src/text/secret.ts'

const REST = '4eC39HqLyjWDarjtT1zdp7dc'
const BEGINNINGS = [
  ...['sk_test_', 'pk_test_', 'sk_live_', 'oat_test_', 'ort_test_', 'oac_test_', 'ocs_test_'],
  ...['whsec_', 'pi_000001abc_secret_', 'seti_000001abc_secret_'],
]

describe.each(BEGINNINGS)('%s', (beginning) => {
  test.each([
    ['alone', '', ''],
    ['in a sentence', 'about ', '.'],
    ['in a JSON text', '{"secret":"', '"}'],
    ['behind a line break', 'one\n', ''],
    ['behind a line break within JSON', String.raw`{"msg":"one\n`, '"}'],
    ['behind a control character within JSON', String.raw`{"msg":"one\u001f`, '"}'],
    ['behind what a url escapes', '/v1/customers/%20', ' failed'],
    ['behind an underscore', 'key_', ''],
  ])('is found and masked %s', (_, before, after) => {
    const text = before + beginning + REST + after
    expect(holdsSecret(text)).toBe(true)
    expect(maskSecrets(text)).toBe(`${before}${beginning}…${after}`)
  })
})

test('base64 is masked to its end, encoded or not', () => {
  expect(maskSecrets('whsec_ab+c/d-e_f== and whsec_ab%2Bc%2Fd%3D%3D.')).toBe('whsec_… and whsec_….')
})

test.each(['key_123 cus_1 pm_card_visa', 'sk_test: whsec_', '/v1/test_helpers/clock/advance'])(
  '%s is no secret',
  (text) => {
    expect(holdsSecret(text)).toBe(false)
    expect(maskSecrets(text)).toBe(text)
  },
)

test('a secret within a word is found, and masked only if it is long enough', () => {
  expect(holdsSecret(`Bearer${BEGINNINGS[0]}${REST}`)).toBe(true)
  expect(maskSecrets('risk_test_1')).toBe('risk_test_1')
})

test.each([
  [`Zocs_test_${REST}`, 'Zocs_test_…'],
  [`qoat_test_${REST}`, 'qoat_test_…'],
  [`mywhsec_${REST}`, 'mywhsec_…'],
  [`x1pi_000001abc_secret_${REST}`, 'x1pi_000001abc_secret_…'],
  [`x%73k_test_${REST}`, '…'],
  [`a%2573k%255ftest_${REST}`, '…'],
  [`w%68sec_${REST}%zz`, '…'],
])('%s is masked', (secret, masked) => {
  expect(maskSecrets(`about ${secret}, and more%20of it`)).toBe(`about ${masked}, and more%20of it`)
})

test.each(['\n', '\r\n', '\u001b', '\ud800', '\\', '\\n', '"', '\\u00'])(
  'a percent-encoded secret behind %j within JSON leaves valid JSON',
  (before) => {
    const masked = (text: string) => JSON.parse(maskSecrets(JSON.stringify(before + text)))
    for (const secret of [`%73k_test_${REST}`, `s%6b_test_${REST}`])
      expect(masked(secret)).toMatch(/^[^%4]*…$/)
    // Not a secret, unless the escape before it lost its backslash.
    expect(masked(`%6b_test_${REST}`).startsWith(before)).toBe(true)
  },
)

const everyCharacter = (word: string) =>
  [...word].map((character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')

test('a word of many backslashes is looked for in a time that does not grow exponentially', () => {
  const pattern = patternOfSecret(`${'\\'.repeat(20)}${'a'.repeat(20)}`)
  expect(`${'\\'.repeat(200)}${'a'.repeat(19)}b`.replace(pattern, '…')).not.toContain('…')
})

test.each(['plain-token', 'with"quote', String.raw`with\backslash`, 'a.b*c/d=e?f', String.raw`\"\\"`])(
  'the pattern of %s finds it in every encoding, and nothing else',
  (word) => {
    const json = JSON.stringify(word).slice(1, -1)
    const encoded = encodeURIComponent(word)
    const forms = [
      ...[word, json, JSON.stringify(json).slice(1, -1), encoded, encodeURIComponent(encoded)],
      ...[everyCharacter(word), everyCharacter(word).toUpperCase()],
    ]
    for (const form of forms) expect(`<${form}>`.replace(patternOfSecret(word), '…')).toBe('<…>')
    expect('another word'.replace(patternOfSecret(word), '…')).toBe('another word')
  },
)
