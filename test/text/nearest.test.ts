import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../src/core/kinds.ts'
import { didYouMean, nearest } from '../../src/text/nearest.ts'
import { leastProcessorTime } from '../processor-time.ts'
import { table } from '../table.ts'

test.each(
  table(
    ['text', 'first'],
    `
    invoice.payed                  invoice.paid
    invoicepaid                    invoice.paid
    invoice.payment_faild          invoice.payment_failed
    customer.subscription.created  subscription.created
    customer.subscription.deleted  subscription.deleted
    payment_intent.suceeded        payment_intent.succeeded
    refunds.failed                 refund.failed
    `,
  ),
)('$text is nearest to $first', ({ text, first }) => {
  expect(nearest(text, EVENT_TYPES)[0]).toBe(first)
})

test('another service’s name for a paid invoice suggests the name used here', () => {
  expect(nearest('invoice.payment_succeeded', EVENT_TYPES)).toEqual(
    expect.arrayContaining(['invoice.payment_failed', 'payment_intent.succeeded']),
  )
})

test('it returns at most the requested number, and none if none is similar', () => {
  expect(nearest('customer.creatd', EVENT_TYPES, 2)).toHaveLength(2)
  for (const text of ['', 'x', 'zebra', '@'.repeat(1_000)]) expect(nearest(text, EVENT_TYPES)).toEqual([])
})

test('a text longer than any name has no suggestions, and takes little time', async () => {
  expect(nearest(`invoice.paid${'d'.repeat(100)}`, EVENT_TYPES)).toEqual([])
  expect(nearest('invoice.paid', [`invoice.paid${'d'.repeat(100)}`])).toEqual([])
  const long = 'ab'.repeat(500_000)
  expect(await leastProcessorTime(() => nearest(long, EVENT_TYPES))).toBeLessThan(100)
})

test('a long name with typos is found', () => {
  const name = 'customer-of-the-shop-in-the-old-town-with-a-card-that-declines'
  expect(nearest(name.replace('shop', 'chop').replace('card', 'crad'), [name])).toEqual([name])
})

const rows = table(
  ['word', 'known', 'meant'],
  `
  prp           pro basic            pro
  Pro           pro basic            pro
  custmers      customers prices     customers
  recuring      recurring currency   recurring
  emial         email name           email
  nmae          email name           name
  a             b c                  -
  a             bc cd                -
  cart          visa ada             -
  subscription  subscriptions        subscriptions
  x             -                    -
  `,
)

test.each(rows)('of $known, $word means $meant', ({ word, known, meant }) => {
  const words = known === '-' ? [] : known.split(' ')
  expect(nearest(word, words, 1)).toEqual(meant === '-' ? [] : [meant])
})

test('a hint is the end of a sentence, or empty', () => {
  expect(`no price is named 'prp'${didYouMean('prp', ['pro'])}`).toBe(
    "no price is named 'prp'; did you mean 'pro'?",
  )
  expect(didYouMean('prp', ['yearly'])).toBe('')
})
