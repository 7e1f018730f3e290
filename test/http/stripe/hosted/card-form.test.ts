import { describe, expect, test } from 'vitest'
import {
  type CardField,
  emptyCardForm,
  FILL,
  filledCardForm,
  keptCardForm,
  readCardForm,
} from '../../../../src/http/stripe/hosted/card-entry.ts'
import { CardFields, TestCards } from '../../../../src/http/stripe/hosted/card-form.tsx'

const NOW = Date.UTC(2026, 0, 31, 10) / 1000
/** A valid number by its check digit, of no test card. */
const REAL = '4539578763621486'

const entered = (fields: Partial<Record<CardField, string>> = {}) =>
  new URLSearchParams({
    email: 'ada@shop.example',
    number: '4242 4242 4242 4242',
    expiration: '12 / 34',
    cvc: '123',
    name: 'Ada Lovelace',
    ...fields,
  })
const read = (fields: Partial<Record<CardField, string>>, now = NOW) =>
  readCardForm(entered(fields), { now, asksEmail: true })

describe('a card form', () => {
  test('becomes a card with its billing details', () => {
    expect(read({}).entry).toMatchObject({
      card: { number: '4242424242424242', exp_month: 12, exp_year: 2034 },
      billing_details: { email: 'ada@shop.example', name: 'Ada Lovelace', phone: null },
      email: 'ada@shop.example',
    })
    expect(readCardForm(entered({ email: '' }), { now: NOW }).entry?.email).toBe(null)
  })

  test.each([
    ['1/26', 1, 2026],
    ['01/26', 1, 2026],
    ['0227', 2, 2027],
    ['12 - 2031', 12, 2031],
    ['9 / 75', 9, 2075],
  ])('reads the expiration %s', (expiration, exp_month, exp_year) => {
    expect(read({ expiration }).entry?.card).toMatchObject({ exp_month, exp_year })
  })

  test('reads two digits as a year near the clock', () => {
    expect(read({ expiration: '03 / 05' }, Date.UTC(2098, 0, 1) / 1000).entry?.card.exp_year).toBe(2105)
  })

  test.each<[CardField, string, RegExp]>([
    ['email', '', /^Enter your email address/],
    ['email', 'ada', /not an email address/],
    ['number', '', /^Enter a card number/],
    ['number', '4242', /incomplete/],
    ['number', '4242 4242 4242 424x', /incomplete/],
    ['number', REAL, /not a test card, so it was refused and not stored/],
    ['number', '4111111111111111', /not a test card/],
    ['expiration', '', /^Enter the month and the year/],
    ['expiration', '13/30', /such as 12 \/ 34/],
    ['expiration', '12/25', /in the past/],
    ['expiration', '1/2', /such as 12/],
    ['cvc', '', /3 digits/],
    ['cvc', '1234', /3 digits/],
    ['cvc', 'abc', /3 digits/],
    ['name', '  ', /^Enter the name on the card/],
    ['name', '4539 5787 6362 1486', /not its number/],
    ['email', `${REAL}@x`, /not an email address/],
  ])('refuses the %s "%s"', (field, value, error) => {
    const { entry, errors } = read({ [field]: value })
    expect(entry).toBeUndefined()
    expect(Object.keys(errors ?? {})).toEqual([field])
    expect(errors?.[field]).toMatch(error)
  })

  test('asks for four digits of security code with American Express', () => {
    const number = '3714 496353 98431'
    expect(read({ number, cvc: '123' }).errors?.cvc).toMatch(/4 digits/)
    expect(read({ number, cvc: '1234' }).entry?.card.number).toBe('371449635398431')
  })

  test('is shown again without the number and the security code', () => {
    const form = entered({ number: REAL, cvc: '987' })
    const { errors } = readCardForm(form, { now: NOW, asksEmail: true })
    const html = String(CardFields({ state: keptCardForm(form, errors), asksEmail: true }))
    for (const kept of ['ada@shop.example', '12 / 34', 'Ada Lovelace'])
      expect(html).toContain(`value="${kept}"`)
    for (const secret of [REAL, '3957', '987']) expect(html).not.toContain(secret)
    expect(html).toMatch(/<input[^>]* id="number"[^>]* aria-invalid="true" aria-describedby="number-error"/)
    expect(html).toMatch(/<p class="error" id="number-error">This is not a test card/)
    expect(html.match(/autofocus/g)).toHaveLength(1)
  })

  test('escapes what was entered', () => {
    const form = entered({ email: '"><script>1</script>', name: "'><img src=x>", expiration: '<b>' })
    const html = String(CardFields({ state: keptCardForm(form), asksEmail: true }))
    expect(html).not.toMatch(/<script|<img|<b>/)
  })
})

test('a number in another field is not shown again', () => {
  const { values } = keptCardForm(entered({ name: REAL, email: REAL, expiration: '4539-5787-6362-1486' }))
  expect(Object.values(values).join('')).toBe('')
})

describe('a listed test card', () => {
  const markup = String(TestCards({ form: 'pay' }))
  const ids = [...markup.matchAll(/ name="fill" value="(\w+)"/g)].map(([, id]) => id ?? '')

  test('is filled in with one press of its button, and can be submitted', () => {
    expect(ids.length).toBeGreaterThan(5)
    for (const id of ids) {
      const form = entered({ number: '', cvc: '', expiration: '', name: '' })
      form.set(FILL, id)
      const filled = filledCardForm(form, { now: NOW })
      expect(filled?.values).toMatchObject({ email: 'ada@shop.example', name: 'Jenny Rosen' })
      expect(
        readCardForm(new URLSearchParams(filled?.values), { now: NOW, asksEmail: true }).errors,
      ).toBeUndefined()
    }
  })

  test('keeps the name that was entered', () => {
    const form = entered()
    form.set(FILL, 'pm_card_visa')
    expect(filledCardForm(form, { now: NOW })?.values.name).toBe('Ada Lovelace')
  })

  test.each(['', 'pm_card_none', '__proto__', '4242424242424242'])('is not filled in for %s', (id) => {
    expect(filledCardForm(new URLSearchParams({ [FILL]: id }), { now: NOW })).toBeUndefined()
  })

  test('has no text that is the name of a button or a field', () => {
    expect(markup.replaceAll(/<[^>]*>/g, ' ')).not.toMatch(
      /\b(pay|subscribe|start|save card|back|apply|update|email|cvc|remove|cancel|confirm|add)\b/i,
    )
    expect(emptyCardForm({ email: 'ada@shop.example' }).values).toMatchObject({
      email: 'ada@shop.example',
      number: '',
    })
  })
})
