import { describe, expect, test } from 'vitest'
import { type Clock, ESCAPE, type List, NOW, NOW_SECONDS, withDaemon } from './command-line.ts'
import { paytwin, startDaemon, subscribe } from './executable.ts'

describe('with one merchant', () => {
  const { daemon, json, text, fail } = withDaemon()

  test('status shows the daemon', async () => {
    const { url, pid, merchant } = daemon()
    expect(await json('status')).toMatchObject({
      object: 'status',
      url,
      pid,
      data: null,
      version: '0.1.0',
      merchants: [{ id: merchant, clock: { mode: 'frozen', now: NOW_SECONDS } }],
      livemode: false,
    })
    const shown = await text('status')
    expect(shown).toContain(`url: ${url}\n`)
    expect(shown).toContain('data: in memory\n')
    expect(shown).toContain(`${merchant}\tDefault merchant\t${NOW}\tfrozen\tready\n`)
  })

  test('a key is created, listed with only its hint, works, and is revoked', async () => {
    const { url, merchant } = daemon()
    const key = await json<{ id: string; secret: string }>('keys', 'create', '--name', 'CI')
    expect(key).toMatchObject({ object: 'key', type: 'secret', name: 'CI', merchant_id: merchant })
    const listed = await text('keys', 'list')
    expect(listed).toContain(`${key.id}\tsk_test_…${key.secret.slice(-4)}\tCI\t${merchant}\t`)
    expect(listed).not.toContain(key.secret)

    const request = () => fetch(`${url}/v1/customers`, { headers: { authorization: `Bearer ${key.secret}` } })
    expect((await request()).status).toBe(200)
    expect(await text('keys', 'revoke', key.id)).toMatch(/^Revoked key_/)
    expect((await request()).status).toBe(401)
    const { data } = await json<List<{ id: string; revoked: number | null }>>('keys', 'list')
    expect(data.find(({ id }) => id === key.id)?.revoked).toEqual(expect.any(Number))
  })

  test('a new key is shown in full once', async () => {
    expect(await text('keys', 'create', '--publishable')).toMatch(/^key: pk_test_\w{24,}$/m)
  })

  test('settings of a merchant are changed', async () => {
    const { merchant } = daemon()
    const change = [
      'merchants',
      'update',
      merchant,
      '--name',
      'Shop',
      '--dunning-final-action',
      'mark_unpaid',
    ]
    expect(await json(...change)).toMatchObject({ name: 'Shop', dunning_final_action: 'mark_unpaid' })
    expect(
      await text(
        'merchants',
        'update',
        merchant,
        '--api-version',
        '2026-03-09',
        '--name',
        'Default merchant',
      ),
    ).toContain('name: Default merchant\n')
    await text('merchants', 'update', merchant, '--dunning-final-action', 'cancel')
    const refused = await fail('merchants', 'update', merchant, '--dunning-final-action', 'sue')
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('(parameter_invalid)') })
  })

  test('notices of a merchant are turned on and off; others stay', async () => {
    const update = ['merchants', 'update', daemon().merchant, '--notice']
    const on = { invoice_upcoming: 7, trial_will_end: null, invoice_will_be_due: null, invoice_overdue: 0 }
    expect(await json(...update, 'invoice_upcoming=7', 'invoice_overdue=0')).toMatchObject({ notices: on })
    expect(await text(...update, 'trial_will_end=3', 'invoice_overdue=off')).toContain(
      'notices: invoice_upcoming=7 trial_will_end=3\n',
    )
    for (const setting of ['renewal=7', 'invoice_upcoming', 'invoice_upcoming=soon'])
      expect(await fail(...update, setting)).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`'${setting}' is not a notice`),
      })
    expect(await fail(...update, 'invoice_upcoming=4')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('(parameter_invalid)'),
    })
    expect(await text(...update, 'invoice_upcoming=off', 'trial_will_end=off')).toContain('notices: off\n')
  })

  test('a failed renewal is visible in clock next, clock advance and events', async () => {
    const { merchant } = daemon()
    const outcomes = ['succeed', 'decline:insufficient_funds', 'decline:insufficient_funds']
    const { subscription } = await subscribe(daemon(), outcomes)

    const next = await json<List<object>>('clock', 'next', '-n', '1')
    expect(next.data).toEqual([
      expect.objectContaining({ object: 'upcoming', due: 1_772_272_800, kind: 'renewal', subscription }),
    ])
    expect(await text('clock', 'next')).toBe(
      `2026-02-28T10:00:00Z\trenewal\t${subscription}\t–\t${merchant}\n`,
    )

    expect(await text('clock', 'advance', '1mo')).toBe(
      `2026-02-28T10:00:00Z  ${merchant}  1 job, 6 events, 0 paid invoices, 1 failed payment\n`,
    )
    const retried = await json<List<Clock>>('clock', 'advance', '--to-next')
    expect(retried.data[0]).toMatchObject({ now: 1_772_359_200, summary: { jobs: 1, payments_failed: 1 } })
    const stopped = await json<List<Clock>>('clock', 'advance', '1y', '--stop-on', 'invoice.paid')
    expect(stopped.data[0]).toMatchObject({ now: 1_772_532_000, summary: { stopped_on: 'invoice.paid' } })
    expect(await text('clock', 'advance', '--to', '2026-03-31T10:00:00Z')).toMatch(
      / 1 paid invoice, 0 failed payments\n$/,
    )

    const failed = await json<List<{ id: string; type: string; created: number }>>(
      ...['events', 'list', '--type', 'invoice.payment_failed', '-n', '5'],
    )
    expect(failed.data.map(({ created }) => created)).toEqual([1_772_359_200, 1_772_272_800])
    const lines = await text(
      'events',
      'list',
      '--type',
      'invoice.payment_failed',
      'subscription.updated',
      '-n',
      '100',
    )
    expect(lines).toMatch(
      /^2026-02-28T10:00:00Z {2}invoice\.payment_failed {9}in_\w+ {2}20\.00 USD {2}attempt 1 of 5 {2}next 2026-03-01T10:00:00Z$/m,
    )
    expect(lines).toMatch(/ past_due → active/)
    expect(lines).not.toContain(ESCAPE)

    const id = failed.data[0]?.id ?? ''
    expect(await json('events', 'show', id)).toMatchObject({
      id,
      object: 'event',
      type: 'invoice.payment_failed',
    })
    const shown = await text('events', 'show', id)
    expect(shown).toContain('attempt 2 of 5')
    expect(shown).toContain(`"id": "${id}"`)
  })

  test('events are listed page by page with a cursor', async () => {
    const { data } = await json<List<{ id: string }>>('events', 'list', '-n', '3')
    const [first, second, third] = data.map(({ id }) => id)
    const page = async (...args: string[]) =>
      (await json<List<{ id: string }>>('events', 'list', ...args)).data.map(({ id }) => id)
    expect(await page('--starting-after', String(first), '-n', '2')).toEqual([second, third])
    expect(await page('--ending-before', String(third), '-n', '2')).toEqual([first, second])
  })

  test('a clock is shown, unfrozen and frozen', async () => {
    expect((await json<List<Clock>>('clock', 'show')).data[0]).toMatchObject({
      mode: 'frozen',
      status: 'ready',
    })
    expect((await json<List<Clock>>('clock', 'unfreeze')).data[0]).toMatchObject({ mode: 'live' })
    expect(await text('clock', 'freeze')).toMatch(/\tfrozen\tready\n$/)
    expect(await text('clock', 'show')).toMatch(/\tfrozen\tready\n$/)
    expect(await text('clock', 'cancel')).toMatch(/\tfrozen\tready\n$/)
  })

  test.each([
    [
      'a clock moved backwards',
      ['clock', 'advance', '--to', '2026-01-01'],
      /can only move forward.*\(parameter_invalid\)/,
    ],
    [
      'an event type that is none',
      ['clock', 'advance', '1d', '--stop-on', 'x'],
      /'x' matches no event type.*\(parameter_invalid\)/,
    ],
    [
      'an unknown merchant',
      ['clock', 'advance', '1d', '--merchant', 'mer_x'],
      /No such merchant: 'mer_x' \(resource_missing\)/,
    ],
    ['an unknown merchant of a key', ['keys', 'create', '--merchant', 'mer_x'], /No such merchant: 'mer_x'/],
    [
      'an unknown merchant to change',
      ['merchants', 'update', 'mer_x', '--name', 'y'],
      /No such merchant: 'mer_x'/,
    ],
    ['an unknown key', ['keys', 'revoke', 'key_x'], /No such key: 'key_x' \(resource_missing\)/],
    ['an unknown event', ['events', 'show', 'evt_x'], /No such event: 'evt_x' \(resource_missing\)/],
    ['an unknown event to begin after', ['events', 'tail', '--since', 'evt_x'], /No such event: 'evt_x'/],
    ['an unknown filter', ['events', 'list', '--type', 'x'], /matches no event type/],
    ['too many at once', ['clock', 'next', '-n', '101'], /\(parameter_invalid\)/],
    ['control characters', ['keys', 'revoke', `${ESCAPE}[31m`], /\\u001b\[31m/],
  ])('%s is refused by the daemon: exit 1', async (_what, args, message) => {
    const { status, stderr } = await fail(...args)
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^error: .*\n$/)
    expect(stderr).not.toContain(ESCAPE)
  })

  test('a wrong admin token is refused with a hint: exit 1', async () => {
    const env = { PAYTWIN_URL: daemon().url, PAYTWIN_ADMIN_TOKEN: 'x'.repeat(40) }
    const { status, stderr } = await paytwin(['status'], { env })
    expect(status).toBe(1)
    expect(stderr).toContain('PAYTWIN_ADMIN_TOKEN')
  })

  test.each([
    [['clock', 'advance']],
    [['clock', 'advance', 'soon']],
    [['clock', 'advance', '--to', 'soon']],
    [['merchants', 'create', '--clock', 'soon']],
    [['customers', 'show', 'cus_x', '--at', 'soon']],
    [['clock', 'advance', '1d', '--to-next']],
    [['clock', 'advance', '--all', '--to-next']],
    [['clock', 'advance', '1d', '--all', '--stop-on', 'invoice.paid']],
    [['clock', 'freeze', '--all', '--merchant', 'mer_x']],
    [['clock', 'next', '-n', 'many']],
    [['merchants', 'update', 'mer_x']],
    [['merchants', 'update']],
    [['keys', 'revoke']],
    [['keys']],
    [['nonsense']],
    [['status', '--nonsense']],
    [['status', 'too', 'much']],
    [['status', '--url', 'nonsense']],
    [['serve', '--port', 'nonsense']],
    [[]],
  ])('%j is wrong usage: exit 2', async (args) => {
    expect((await fail(...args)).status).toBe(2)
  })

  test.each([
    [['trigger'], 'paytwin trigger --help'],
    [['webhooks', 'listen', 'extra'], 'paytwin webhooks listen --help'],
    [['clock', 'nonsense'], 'paytwin clock --help'],
    [['nonsense'], 'paytwin --help'],
  ])('the error about %j names the help of its command', async (args, help) => {
    expect((await fail(...args)).stderr).toMatch(new RegExp(`\\n\\(see '${help}'\\)\\n$`))
  })

  test('--to-next without a due job is refused: exit 1', async () => {
    const { id } = await json<{ id: string }>('merchants', 'create', '--clock', NOW)
    const { status, stderr } = await fail('clock', 'advance', '--to-next', '--merchant', id)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'error: No job is due, so --to-next has no time to advance to.\n',
    })
  })
})

test('without a daemon the exit status is 3, and the error says how to start one', async () => {
  // A port that was free a moment ago: the daemon that had it is gone.
  const { url, stop } = await startDaemon()
  await stop()
  for (const args of [
    ['status'],
    ['clock', 'advance', '1d'],
    ['events', 'tail'],
    ['keys', 'list', '--json'],
  ]) {
    const { status, stdout, stderr } = await paytwin(args, { env: { PAYTWIN_URL: url } })
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toMatch(/^error: No paytwin daemon answers at .*Start a daemon with 'paytwin start'.*\n$/)
  }
})
