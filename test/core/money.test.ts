import { describe, expect, test } from 'vitest'
import { CURRENCIES, formatAmount, formatDecimal, MAX_AMOUNT, total } from '../../src/core/money.ts'
import { table } from '../table.ts'

describe('total', () => {
  test.each([
    [[], 0],
    [[0], 0],
    [[2000, 350, 1], 2351],
    [[MAX_AMOUNT - 1, 1], MAX_AMOUNT],
  ])('of %j is %i', (amounts, sum) => {
    expect(total(amounts)).toBe(sum)
  })

  test.each([[[MAX_AMOUNT + 1]], [[MAX_AMOUNT, 1]], [[50_000_000, 50_000_000]]])(
    'of %j is refused as too large',
    (amounts) => {
      expect(() => total(amounts)).toThrow(
        expect.objectContaining({ status: 400, code: 'amount_too_large', param: 'amount' }),
      )
    },
  )

  test('the maximum is that of the contract', () => {
    expect(MAX_AMOUNT).toBe(99_999_999)
  })
})

test.each(
  table(
    ['amount', 'currency', 'text'],
    `
    2000      usd  20.00 USD
    5         eur  0.05 EUR
    1500      jpy  1500 JPY
    1234      kwd  1.234 KWD
    99999999  usd  999999.99 USD
    `,
  ),
)('$amount $currency reads $text', ({ amount, currency, text }) => {
  expect(formatAmount(Number(amount), currency)).toBe(text)
})

test.each(
  table(
    ['decimal', 'currency', 'text'],
    `
    0.5      usd  0.005 USD
    12.25    usd  0.1225 USD
    1234.5   eur  12.345 EUR
    0.25     jpy  0.25 JPY
    1.5      kwd  0.0015 KWD
    `,
  ),
)('$decimal of the smallest unit of $currency reads $text', ({ decimal, currency, text }) => {
  expect(formatDecimal(decimal, currency)).toBe(text)
})

test('currencies are lowercase three-letter codes', () => {
  for (const code of CURRENCIES) expect(code).toMatch(/^[a-z]{3}$/)
  for (const code of ['usd', 'eur', 'gbp', 'jpy', 'brl', 'chf']) expect(CURRENCIES).toContain(code)
  for (const code of ['xxx', 'usx', 'btc']) expect(CURRENCIES).not.toContain(code)
})
