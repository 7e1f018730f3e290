import { describe, expect, test } from 'vitest'
import { ESCAPE, NOW, withDaemon } from '../command-line.ts'
import { api, subscribe } from '../executable.ts'

const DECLINED = 'decline:insufficient_funds'

type Shown = {
  object: string
  id: string
  status: string
  latest_invoice: string
  timeline: { as_of: number; now: number; happened: { data: object[] }; upcoming: { data: object[] } }
}

describe('with a renewal that failed', () => {
  const { daemon, json, text, fail } = withDaemon()

  test('each object is shown with its timeline, now and in the past', async () => {
    const { subscription, customer } = await subscribe(daemon(), ['succeed', DECLINED])
    await text('clock', 'advance', '--to', '2026-02-28T12:00:00Z')

    const shown = await json<Shown>('subscriptions', 'show', subscription)
    expect(shown).toMatchObject({ object: 'subscription', id: subscription, status: 'past_due' })
    expect(shown.timeline.happened.data).toHaveLength(12)
    const whole = await text('subscriptions', 'show', subscription)
    expect(whole).toContain('status: past_due\n')
    expect(whole).toContain('amount: 20.00 USD a month\n')
    expect(whole).toContain('amount due: 20.00 USD\n')
    expect(whole).toContain('next: 2026-03-01T10:00:00Z  retry, 20.00 USD, attempt 2 of 5\n')
    expect(whole).toContain('2026-02-28T10:00:00Z\thappened\tactive → past_due\n')
    expect(whole).toContain('2026-02-28T12:00:00Z\tnow\t\n')
    expect(whole).not.toContain(ESCAPE)

    const before = await json<Shown>('subscriptions', 'show', subscription, '--at', NOW)
    expect(before).toMatchObject({ status: 'active', timeline: { now: shown.timeline.now } })
    expect(before.timeline.happened.data).toEqual(shown.timeline.happened.data.slice(0, 6))
    expect(await text('subscriptions', 'show', subscription, '--at', NOW)).toContain(
      `as of: ${NOW} (in the past)\nstatus: active\n`,
    )

    const ofCustomer = await text('customers', 'show', customer)
    expect(ofCustomer).toContain('email: ada@example.com\namount due: 20.00 USD\ndelinquent: yes\n')
    expect(ofCustomer).toContain(
      `\nSubscriptions\n${subscription}\tpast_due\t20.00 USD a month\t2026-03-01T10:00:00Z  retry\n`,
    )
    expect(ofCustomer).toMatch(/\nPayment methods\npm_\w+\tvisa …4242\t–\n/)
    expect(ofCustomer).toMatch(/\nOpen invoices\n\w{8}-0002\t20\.00 USD\t2026-03-01T10:00:00Z {2}retry\tin_/)

    const ofInvoice = await text('invoices', 'show', shown.latest_invoice)
    expect(ofInvoice).toContain('attempts: 1 of 5, next at 2026-03-01T10:00:00Z\n')
    expect(ofInvoice).toContain('1 × 20.00 USD\t20.00 USD\tprice_')
  })

  test('an unknown object, a time before it and a future time are refused: exit 1', async () => {
    const { id } = await api(daemon(), '/v1/customers', { name: 'Grace' })
    expect(await fail('customers', 'show', 'cus_unknown')).toEqual({
      status: 1,
      stderr:
        "error: No such customer: 'cus_unknown' (resource_missing). List the existing ones with 'paytwin customers list'.\n",
    })
    for (const [command, noun, list] of [
      [['why', 'pi_unknown'], 'payment intent', 'payment_intents list'],
      [['why', 'seti_unknown'], 'setup intent', 'get setup_intents'],
      [['mail', 'show', 'mail_unknown'], 'mail', 'mail list'],
    ] as const) {
      expect((await fail(...command)).stderr).toBe(
        `error: No such ${noun}: '${command.at(-1)}' (resource_missing). List the existing ones with 'paytwin ${list}'.\n`,
      )
    }
    const early = await fail('customers', 'show', id, '--at', '2026-01-01')
    expect(early).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('was created at 2026-02-28T12:00:00Z'),
    })
    const late = await fail('customers', 'show', id, '--at', '2999-01-01')
    expect(late).toMatchObject({ status: 1, stderr: expect.stringContaining('is in the future') })
    expect(late.stderr).toContain('(parameter_invalid)')
  })

  test('an ID is required: exit 2', async () => {
    expect((await fail('invoices', 'show')).status).toBe(2)
  })
})
