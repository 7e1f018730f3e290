import { describe, expect, test } from 'vitest'
import { ESCAPE, type List, withDaemon } from '../command-line.ts'
import { subscribe } from '../executable.ts'

const { daemon, json, text, fail } = withDaemon()

/** Pays with a good card. */
async function pay(): Promise<number> {
  const { url, secret_key } = daemon()
  const response = await fetch(`${url}/v1/payment_intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 5, currency: 'usd', payment_method: 'pm_card_visa', confirm: true }),
  })
  await response.text()
  return response.status
}

describe('faults', () => {
  test('are added, listed, applied and used up', async () => {
    const fault = await json<{ id: string }>('faults', 'add', 'decline', '--count', '1')
    expect(fault).toMatchObject({ object: 'fault', kind: 'decline', remaining: 1, rate: 1, livemode: false })
    expect(await text('faults', 'list')).toBe(`${fault.id}\tdecline\t1\t1\t–\t–\t–\n`)
    expect([await pay(), await pay()]).toEqual([402, 201])
    expect(await json<List<object>>('faults', 'list')).toMatchObject({ object: 'list', data: [] })
    expect(await text('faults', 'list')).toBe('')
  })

  test('a processor timeout fails a request, and a charge by the clock', async () => {
    const { subscription } = await subscribe(daemon())
    await text('faults', 'add', 'processor_timeout', '--count', '2')
    expect(await pay()).toBe(500)
    await text('clock', 'advance', '1mo')
    const { data } = await json<List<{ data: { object: { status: string; id: string } } }>>(
      ...['events', 'list', '--type', 'subscription.updated', '-n', '1'],
    )
    expect(data[0]?.data.object).toMatchObject({ id: subscription, status: 'past_due' })
  })

  test.each([
    [['decline', '--count', '1'], 'decline affects the next charge.'],
    [['decline', '--count', '2'], 'decline affects the next 2 charges.'],
    [['processor_timeout'], 'processor_timeout affects every charge.'],
    [['decline', '--rate', '0.07'], 'decline affects 7% of charges.'],
    [['decline', '--rate', '.5', '--count', '3'], 'decline affects 50% of charges, at most 3 times.'],
    [['latency', '--route', 'GET /v1/*'], 'latency of 1000 ms affects every request to GET /v1/*.'],
    [['latency', '--ms', '5', '--count', '1'], 'latency of 5 ms affects the next request.'],
  ])('%j prints: %s', async (args, sentence) => {
    expect(await text('faults', 'add', ...args)).toMatch(new RegExp(`^fault_\\d+: ${escaped(sentence)}\n$`))
    expect(await text('faults', 'clear')).toBe('Cleared all faults.\n')
  })

  test('belong to a merchant, and are cleared one by one or all at once', async () => {
    const { merchant } = daemon()
    const first = await json<{ id: string }>('faults', 'add', 'rate_limit', '--merchant', merchant)
    const second = await json<{ id: string }>('faults', 'add', 'latency', '--ms', '1')
    expect(await text('faults', 'clear', first.id)).toBe(`Cleared ${first.id}.\n`)
    expect(await json<List<object>>('faults', 'list')).toMatchObject({ data: [{ id: second.id }] })
    expect(await json('faults', 'clear', second.id)).toMatchObject({ id: second.id, deleted: true })
    expect(await json('faults', 'clear')).toMatchObject({ object: 'list', data: [] })
  })

  test.each([
    [['add', 'meteor'], /Invalid value for kind: .*decline, processor_timeout.*\(parameter_invalid\)/],
    [['add', 'decline', '--route', '/v1/*'], /route does not apply to decline.*\(parameter_invalid\)/],
    [['add', 'decline', '--ms', '5'], /ms applies only to the kind latency.*\(parameter_invalid\)/],
    [['add', 'decline', '--rate', '2'], /Invalid value for rate: expected at most 1 \(parameter_invalid\)/],
    [
      ['add', 'decline', '--count', '0'],
      /Invalid value for count: expected at least 1 \(parameter_invalid\)/,
    ],
    [['add', 'decline', '--merchant', 'mer_x'], /No such merchant: 'mer_x' \(resource_missing\)/],
    [['clear', 'fault_x'], /No such fault: 'fault_x' \(resource_missing\)/],
  ])('%j is refused by the daemon: exit 1', async (args, message) => {
    const { status, stderr } = await fail('faults', ...args)
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^error: .*\n$/)
  })

  test.each([
    [['add']],
    [['add', 'decline', '--rate', 'often']],
    [['add', 'decline', '--rate', '-1']],
    [['add', 'decline', '--count', 'many']],
    [['add', 'latency', '--ms', 'long']],
    [['clear', 'fault_1', 'fault_2']],
  ])('%j is wrong usage: exit 2', async (args) => {
    expect((await fail('faults', ...args)).status).toBe(2)
  })
})

describe('trigger', () => {
  test('prints the emitted events, one per line', async () => {
    const lines = (await text('trigger', 'invoice.payment_failed')).trimEnd().split('\n')
    expect(
      lines.some((line) => / {2}invoice\.payment_failed .* 20\.00 USD {2}attempt 1 of 5 /.test(line)),
    ).toBe(true)
    expect(lines.every((line) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}[a-z_]+\.[a-z_]+ /.test(line))).toBe(
      true,
    )
    expect(lines.join('')).not.toContain(ESCAPE)
  })

  test('prints when a later event is due and the command that reaches it', async () => {
    const last = (await text('trigger', 'refund.failed')).trimEnd().split('\n').at(-1) ?? ''
    const [, due, command = ''] = /^(\S+) {2}refund\.failed +not due yet; run: paytwin (.*)$/.exec(last) ?? []
    expect(command).toBe(`clock advance --to ${due} --merchant ${daemon().merchant}`)
    expect(await text(...command.split(' '))).toContain('1 job, 1 event')
    const { data } = await json<List<{ type: string }>>('events', 'list', '-n', '1')
    expect(data[0]?.type).toBe('refund.failed')
  })

  test('lists every type in its help', async () => {
    const help = await text('trigger', '--help')
    expect(help).toContain('\n  subscription.created, .updated, .deleted, .resumed')
    expect(help).toContain('\n  refund.created, .failed')
  })

  test('is an object with --json', async () => {
    expect(await json('trigger', 'customer.created')).toMatchObject({
      object: 'trigger',
      type: 'customer.created',
      events: [{ object: 'event', type: 'customer.created' }],
      due: null,
      command: null,
      livemode: false,
    })
  })

  test('of an unknown type is refused with similar types: exit 1', async () => {
    const { status, stderr } = await fail('trigger', 'customer.subscription.created')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^error: .*Did you mean subscription\.created, .*\(parameter_invalid\)\n$/)
  })

  test('asks for the merchant when there are several: exit 2', async () => {
    await json('merchants', 'create', '--name', 'Second')
    expect((await fail('trigger', 'customer.created')).status).toBe(2)
    expect((await fail('trigger')).status).toBe(2)
    const { merchant } = daemon()
    expect(await json('trigger', 'customer.created', '--merchant', merchant)).toMatchObject({
      merchant_id: merchant,
    })
  })
})

const escaped = (sentence: string) => sentence.replace(/[.*/]/g, '\\$&')
