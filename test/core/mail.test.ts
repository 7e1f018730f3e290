import { describe, expect, test } from 'vitest'
import { changedMails, kindsOn, type MailSettings, typesWithMail, wasOn } from '../../src/core/mail.ts'

const FIRST: MailSettings = [{ after: 0, on: ['invoice'] }]

describe('settings for mail', () => {
  test('apply from the next event, and leave earlier events as they were', () => {
    const changed = changedMails(FIRST, { receipt: true, invoice: false }, 7)
    expect(kindsOn(changed)).toEqual(['receipt'])
    expect([7, 8].map((event) => wasOn(changed, 'receipt', event))).toEqual([false, true])
    expect([7, 8].map((event) => wasOn(changed, 'invoice', event))).toEqual([true, false])
  })

  test('keep no entry that no event can have seen', () => {
    const twice = changedMails(changedMails(FIRST, { receipt: true }, 7), { receipt: false }, 7)
    expect(wasOn(twice, 'receipt', 8)).toBe(false)
    expect(twice.map(({ after }) => after)).toEqual([0, 7])
    expect(changedMails(FIRST, { invoice: true, receipt: undefined }, 7)).toBe(FIRST)
    expect(changedMails(FIRST, { refund: true }, 0)).toEqual([{ after: 0, on: ['invoice', 'refund'] }])
  })

  test('select the events that can have caused mail', () => {
    expect(typesWithMail([])).toEqual([])
    expect(typesWithMail([{ after: 0, on: [] }])).toEqual(['invoice.sent', 'charge.succeeded'])
    const earlier = changedMails([{ after: 0, on: ['payment_failed'] }], { payment_failed: false }, 9)
    expect(typesWithMail(earlier)).toContain('invoice.payment_failed')
  })
})
