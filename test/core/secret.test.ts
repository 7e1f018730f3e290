import { describe, expect, test } from 'vitest'
import { holdsSecret, maskSecrets } from '../../src/core/secret.ts'

const REST = '4eC39HqLyjWDarjtT1zdp7dc'
const BEGINNINGS = [
  ...['sk_test_', 'pk_test_', 'sk_live_', 'oat_test_', 'ort_test_', 'oac_test_', 'ocs_test_'],
  ...['whsec_', 'pi_000001abc_secret_'],
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
  ])('is found and hidden %s', (_, before, after) => {
    const text = before + beginning + REST + after
    expect(holdsSecret(text)).toBe(true)
    expect(maskSecrets(text)).toBe(`${before}${beginning}…${after}`)
  })
})

test('base64 is hidden to its end, encoded or not', () => {
  expect(maskSecrets('whsec_ab+c/d-e_f== and whsec_ab%2Bc%2Fd%3D%3D.')).toBe('whsec_… and whsec_….')
})

test.each(['key_123 cus_1 pm_card_visa', 'sk_test: whsec_', '/v1/test_helpers/clock/advance'])(
  '%s is no secret',
  (text) => {
    expect(holdsSecret(text)).toBe(false)
    expect(maskSecrets(text)).toBe(text)
  },
)

test('the middle of a word is found, and left alone where whole words are hidden', () => {
  expect(holdsSecret(`Bearer${BEGINNINGS[0]}${REST}`)).toBe(true)
  expect(maskSecrets('risk_test_1')).toBe('risk_test_1')
})
