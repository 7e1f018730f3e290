import { describe, expect, test } from 'vitest'
import type { Event, Upcoming } from '../../src/client/types.ts'
import { widthOf } from '../../src/ui/fit.ts'
import type { State } from '../../src/ui/state.ts'
import { view } from '../../src/ui/view.ts'
import {
  NOW,
  played,
  sampleClock,
  sampleDelivery,
  sampleEvent,
  sampleEvents,
  sampleRequest,
  sampleTimeline,
  started,
} from './samples.ts'

const ESC = '\u001b'

/** The lines of the screen, top to bottom; the body is filled up with empty ones. */
function linesOf(state: State, isColoured = false): string[] {
  const { header, body, panel, status } = view(state, { isColoured })
  const missing = state.rows - header.length - body.length - panel.length - 1
  return [...header, ...body, ...Array.from({ length: Math.max(0, missing) }, () => ''), ...panel, status]
}
const withoutColours = (line: string) => line.replaceAll(new RegExp(`${ESC}\\[\\d+m`, 'g'), '')

const subscription = { object: 'subscription', id: 'sub_000001iCHPU6Vi', status: 'past_due' }
const STORY: readonly Event[] = [
  sampleEvent(1),
  sampleEvent(2, {
    type: 'invoice.payment_failed',
    object: 'invoice',
    id: 'in_000002lGCd4P9X',
    total: 2000,
    currency: 'usd',
    attempt_count: 2,
    next_payment_attempt: NOW + 86_400,
  }),
  {
    ...sampleEvent(3, { ...subscription, type: 'subscription.updated' }),
    data: { object: subscription, previous_attributes: { status: 'active' } },
  },
]
const clocks = (...change: Parameters<typeof sampleClock>) =>
  ({ kind: 'clocks', clocks: [sampleClock(...change)] }) as const
const WITH_EVENTS = played(started({ rows: 8 }), { kind: 'history', events: STORY }, clocks())

describe('at 80 columns', () => {
  test('a row has time, type, object and details', () => {
    expect(linesOf(WITH_EVENTS)).toEqual([
      'Default merchant  2026-01-31T10:00:00Z frozen                   0/s  ● connected',
      '  01-31 10:00 customer.created       cus_1 ada1@example.com',
      '  01-31 10:00 invoice.payment_failed in_000002lGCd4P9X 20.00 USD attempt 2 of 5…',
      '▸ 01-31 10:00 subscription.updated   sub_000001iCHPU6Vi active → past_due',
      '',
      '',
      '',
      'following  3 events                       w webhooks  r requests  ? help  q quit',
    ])
  })

  test('the menu shows the target of each choice', () => {
    const next = { due: NOW + 60, kind: 'renewal', subscription: 'sub_1' } as Upcoming
    const state = played({ ...WITH_EVENTS, rows: 12 }, 'a', { kind: 'upcoming', next }, '2')
    expect(linesOf(state).slice(-7)).toEqual([
      'Advance the clock from 2026-01-31T10:00:00Z',
      '  1  1 hour   → 2026-01-31T11:00:00Z',
      '▸ 2  1 day    → 2026-02-01T10:00:00Z',
      '  3  1 week   → 2026-02-07T10:00:00Z',
      '  4  1 month  → 2026-02-28T10:00:00Z',
      '  5  next job → 2026-01-31T10:01:00Z  renewal sub_1',
      'following  3 events                                     Enter advance  Esc close',
    ])
  })

  test.each([
    [undefined, '  5  next job …'],
    [null, '  5  next job none due'],
  ])('what comes next may be %s', (next, line) => {
    const menu = played({ ...WITH_EVENTS, rows: 12 }, 'a')
    const state = next === null ? played(menu, { kind: 'upcoming', next }) : menu
    expect(linesOf(state).at(-2)).toBe(line)
  })

  test('after the last valid instant the menu shows no targets', () => {
    const state = played(WITH_EVENTS, clocks({ now: 253_402_300_799 }), 'a')
    expect(linesOf(state).at(-3)).toBe('  4  1 month  ')
  })

  test('help lists every key of the contract', () => {
    const text = linesOf(played({ ...WITH_EVENTS, rows: 24 }, '?')).join('\n')
    for (const label of ['↑ k', '↓ j', 'Enter', '/', 'f', 'a', 'z', 'p', '?', 'q'])
      expect(text).toMatch(new RegExp(`^  ${label.replace('?', '\\?')} +\\S`, 'm'))
    expect(text).not.toContain('…\n')
  })

  test('an event is shown as JSON', () => {
    const state = played(WITH_EVENTS, 'g', 'enter')
    expect(linesOf(state).slice(1)).toEqual([
      '{',
      '  "id": "evt_1",',
      '  "object": "event",',
      '  "type": "customer.created",',
      '  "created": 1769853600,',
      '  "merchant_id": "mer_1",',
      'evt_1  lines 1–6 of 14                           t timeline  ↑↓ scroll  Esc back',
    ])
    expect(linesOf(played(state, 'G')).at(-2)).toBe('}')
  })
})

describe('a row that is longer than 80 columns', () => {
  const renewed: Event = {
    ...sampleEvent(4, { ...subscription, type: 'subscription.updated' }),
    data: {
      object: { ...subscription, current_period_start: NOW, current_period_end: NOW + 28 * 86_400 },
      previous_attributes: { status: 'active', current_period_end: NOW },
    },
  }
  const withEvents = played(WITH_EVENTS, { kind: 'arrived', events: [renewed] })
  const several = { ...withEvents, clock: { known: 'several', count: 2 } } as const
  const rows = (state: State, columns: number) =>
    linesOf({ ...state, columns })
      .slice(2, 5)
      .map((line) => line.slice(2))

  test('aligns types of every length from 102 columns on', () => {
    expect(rows(withEvents, 101)[0]).toBe(
      '01-31 10:00 invoice.payment_failed in_000002lGCd4P9X 20.00 USD attempt 2 of 5 next 2026-02-01',
    )
    expect(rows(withEvents, 102)[0]).toBe(
      '01-31 10:00 invoice.payment_failed        in_000002lGCd4P9X 20.00 USD attempt 2 of 5 next 2026-02-01',
    )
  })

  test('has days in its details if there is no room for complete times', () => {
    expect(rows(withEvents, 126)[2]).toBe(
      '01-31 10:00 subscription.updated          sub_000001iCHPU6Vi active → past_due period 2026-01-31 – 2026-02-28',
    )
    expect(rows(withEvents, 127)[0]).toBe(
      '2026-01-31T10:00:00Z  invoice.payment_failed         in_000002lGCd4P9X  20.00 USD  attempt 2 of 5  next 2026-02-01T10:00:00Z',
    )
  })

  test('has the merchant of each event from 102 columns on, if several are shown', () => {
    expect(rows(several, 101)[1]).toBe(rows(withEvents, 101)[1])
    expect(rows(several, 102)[1]).toBe(
      '01-31 10:00 Default merchant   subscription.updated          sub_000001iCHPU6Vi active → past_due',
    )
    expect(rows(several, 200)[1]).toBe(
      '2026-01-31T10:00:00Z  Default merchant    subscription.updated           sub_000001iCHPU6Vi  active → past_due',
    )
  })
})

describe("a customer's name", () => {
  const ada = sampleEvent(1, { id: 'cus_1', name: 'Ada Lovelace', email: 'ada@example.com' })
  const invoice = { type: 'invoice.paid', object: 'invoice', customer: 'cus_1', total: 2000, currency: 'usd' }
  const paid = sampleEvent(2, { ...invoice, id: 'in_000002lGCd4P9X', number: 'R78D2YNB-0002' })
  const rows = (columns: number, ...events: Event[]) =>
    linesOf({ ...played(started(), { kind: 'history', events }), columns })
      .slice(1, 1 + events.length)
      .map((line) => line.slice(2))

  test('ends the rows of its objects, where the details leave room', () => {
    const row = '01-31 10:00 invoice.paid           in_000002lGCd4P9X 20.00 USD R78D2YNB-0002'
    expect(rows(120, ada, paid)).toEqual([
      '01-31 10:00 customer.created              cus_1 ada@example.com  Ada Lovelace',
      '01-31 10:00 invoice.paid                  in_000002lGCd4P9X 20.00 USD R78D2YNB-0002  Ada Lovelace',
    ])
    expect(rows(84, ada, paid)[1]).toBe(`${row}  Ada…`)
    expect(rows(80, ada, paid)[1]).toBe(row)
  })

  test('is the email address if there is no name, and is not repeated', () => {
    const nameless = sampleEvent(1, { id: 'cus_1', email: 'ada@example.com' })
    expect(rows(120, nameless, paid)).toEqual([
      '01-31 10:00 customer.created              cus_1 ada@example.com',
      '01-31 10:00 invoice.paid                  in_000002lGCd4P9X 20.00 USD R78D2YNB-0002  ada@example.com',
    ])
  })

  test('that was read later is shown, but not instead of a newer one', () => {
    const read = new Map([['cus_1', { name: 'Ada Byron', email: null }]])
    const before = played(started({ columns: 120 }), { kind: 'history', events: [paid] })
    const customers = { kind: 'customers', customers: read } as const
    expect(linesOf(played(before, customers))[1]).toMatch(/ {2}Ada Byron$/)
    const both = played(before, { kind: 'arrived', events: [ada] }, customers)
    expect(linesOf(both)[1]).toMatch(/ {2}Ada Lovelace$/)
  })

  test('is found by the filter as soon as it is read', () => {
    const before = played(started(), { kind: 'history', events: [paid] }, '/', ...'byron')
    const read = new Map([['cus_1', { name: 'Ada Byron', email: null }]])
    const found = linesOf(played(before, { kind: 'customers', customers: read }))
    expect([linesOf(before).at(-1), found.at(-1)]).toEqual([
      expect.stringContaining('0 of 1'),
      expect.stringContaining('1 of 1'),
    ])
  })
})

describe('the view of webhooks', () => {
  const attempt = { time: NOW, response_status: null, response_body: null, duration_ms: 5 }
  const error = 'connect ECONNREFUSED 127.0.0.1:3000'
  const deliveries = [
    sampleDelivery(1),
    sampleDelivery(2, {
      event_type: 'payment_intent.payment_failed',
      status: 'pending',
      attempts: [{ ...attempt, error }],
      next_attempt: NOW + 300,
    }),
    sampleDelivery(3, { status: 'failed', attempts: [{ ...attempt, response_status: 500, error: null }] }),
    sampleDelivery(4, { status: 'pending', attempts: [] }),
  ]
  const lines = (columns: number) =>
    linesOf(played({ ...WITH_EVENTS, columns }, 'w', { kind: 'deliveries', deliveries }))

  test.each<[columns: number, rows: string[]]>([
    [
      60,
      [
        '  10:00 invoice.paid           200                          ',
        '  10:00 payment_intent.paymen… ECONNREFUSED next 01-31 10:05',
        '  10:00 invoice.paid           500          no more attempts',
        '▸ 10:00 invoice.paid           not sent yet                 ',
      ],
    ],
    [
      80,
      [
        '  01-31 10:00 invoice.paid           200                           127.0.0.1:30…',
        '  01-31 10:00 payment_intent.paymen… ECONNREFUSED next 01-31 10:05 127.0.0.1:30…',
        '  01-31 10:00 invoice.paid           500          no more attempts 127.0.0.1:30…',
        '▸ 01-31 10:00 invoice.paid           not sent yet                  127.0.0.1:30…',
      ],
    ],
  ])('at %d columns has type, response, next attempt and endpoint', (columns, rows) => {
    expect(lines(columns).slice(1, 5)).toEqual(rows)
    expect(lines(columns).at(-1)).toMatch(/^following {2}4 webhooks {2,}e events {2}r requests .*q quit$/)
  })

  test('has complete instants, errors and URLs in a wide terminal', () => {
    expect(lines(150)[2]).toBe(
      '  2026-01-31T10:00:00Z payment_intent.payment_failed connect ECONNREFUSED 127.0.0.1:3000  next 2026-01-31T10:05:00Z http://127.0.0.1:3000/webhooks',
    )
  })

  test('without deliveries says so', () => {
    expect(linesOf(played(WITH_EVENTS, 'w'))[1]).toBe('  No webhooks yet. They appear here as they happen.')
  })
})

describe('the view of requests', () => {
  const requests = [
    sampleRequest(1, { path: '/v1/customers', ignored_params: ['colour', 'size'] }),
    sampleRequest(2, { path: `/v1/prices?${'x'.repeat(90)}`, status: 400, code: 'parameter_invalid' }),
    sampleRequest(3, { method: 'DELETE', path: '/v1/customers/cus_1', replayed: true }),
  ]
  const lines = (columns: number) =>
    linesOf(played({ ...WITH_EVENTS, columns }, 'r', { kind: 'requests', requests })).slice(1, 4)

  test.each<[columns: number, rows: string[]]>([
    [
      60,
      [
        '  10:00:00 200 POST   /v1/customers      ignored colour size',
        '  10:00:00 400 POST   /v1/prices?xxxxxxx…  parameter_invalid',
        '▸ 10:00:00 200 DELETE /v1/customers/cus_1           replayed',
      ],
    ],
    [
      110,
      [
        '  2026-01-31T10:00:00 200 POST   /v1/customers                         ignored colour size',
        `  2026-01-31T10:00:00 400 POST   /v1/prices?${'x'.repeat(46)}…  parameter_invalid`,
        '▸ 2026-01-31T10:00:00 200 DELETE /v1/customers/cus_1                   replayed',
      ],
    ],
  ])('at %d columns has time, status, method, path, errors and ignored parameters', (columns, rows) => {
    expect(lines(columns).map((line) => line.trimEnd())).toEqual(rows)
  })
})

describe('a timeline', () => {
  const open = played(WITH_EVENTS, 'g', 't')
  const shown = (columns = 80) =>
    linesOf(
      played({ ...open, columns }, { kind: 'timeline', id: 'cus_1', timeline: sampleTimeline('cus_1') }),
    )

  test('is a picture that fits', () => {
    expect(shown().slice(1)).toEqual([
      '2026-01-31T10:00Z          ● customer created  ada@example.com',
      '2026-01-31T10:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━',
      '',
      '',
      '',
      '',
      'cus_1  lines 1–2 of 2                                t JSON  ↑↓ scroll  Esc back',
    ])
    expect(shown(60)[3]).toBe('2026-01-31T10:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━')
  })

  test('is announced while it is read, and says why it cannot be', () => {
    expect(linesOf(open)[1]).toBe('Reading the timeline…')
    const failed = { kind: 'timeline', id: 'cus_1', timeline: 'No such customer: cus_1' } as const
    expect(linesOf(played(open, failed))[1]).toBe('No such customer: cus_1')
  })
})

describe('the top line', () => {
  const top = (state: State) => linesOf(state)[0]
  test.each<[what: string, state: State, text: string]>([
    [
      'a live clock that goes on',
      { ...played(WITH_EVENTS, clocks({ mode: 'live' })), at: 61_000 },
      '2026-01-31T10:01:01Z live',
    ],
    [
      'how far an advance has come',
      played(
        WITH_EVENTS,
        clocks({
          status: 'advancing',
          now: NOW + 50,
          target: NOW + 100,
          progress: { jobs: 1234, events: 0, invoices_paid: 0, payments_failed: 0, stopped_on: null },
        }),
      ),
      '2026-01-31T10:00:50Z ████░░░░ 50%',
    ],
    [
      'several merchants',
      played(WITH_EVENTS, { kind: 'clocks', clocks: [sampleClock(), sampleClock({ id: 'clock_2' })] }),
      '2 merchants  each with its own clock',
    ],
    [
      'a merchant that is gone',
      played(
        { ...WITH_EVENTS, watched: { merchant: 'mer_9', names: new Map() } },
        { kind: 'clocks', clocks: [] },
      ),
      'mer_9  merchant deleted',
    ],
    ['nothing that is not known yet', started(), 'paytwin  '],
    ['a lost connection', played(WITH_EVENTS, { kind: 'connection', connection: 'lost' }), '○ reconnecting'],
    ['a connection that is still to come', { ...WITH_EVENTS, connection: 'connecting' }, '○ connecting'],
    ['events a second', played(WITH_EVENTS, { kind: 'arrived', events: sampleEvents(2468) }), '1,234/s'],
  ])('shows %s', (_what, state, text) => {
    expect(top(state)).toContain(text)
  })

  test('at 60 columns omits the rate rather than the state of the clock', () => {
    expect(top({ ...WITH_EVENTS, columns: 60 })).toBe(
      'Default merchant  2026-01-31T10:00:00Z frozen    ● connected',
    )
  })

  test('has IDs, targets and jobs if there is room', () => {
    const progress = { jobs: 1234, events: 0, invoices_paid: 0, payments_failed: 0, stopped_on: null }
    const state = played(
      { ...WITH_EVENTS, columns: 200 },
      clocks({ status: 'advancing', now: NOW + 50, target: NOW + 100, progress }),
    )
    expect(top(state)).toContain(
      'Default merchant mer_1  2026-01-31T10:00:50Z advancing to 2026-01-31T10:01:40Z ██████████░░░░░░░░░░ 50% 1,234 jobs',
    )
  })

  test('has a second one while events are forwarded', () => {
    const forwarding = {
      url: 'http://a/b',
      secret: 'whsec_c',
      delivered: 1234,
      failed: 1,
      lastFailure: 'returned 500',
    }
    expect(linesOf({ ...WITH_EVENTS, forwarding })[1]).toBe(
      '→ http://a/b  1,234 delivered, 1 failed: returned 500  signed with whsec_c',
    )
  })
})

describe('the last line', () => {
  const status = (...args: Parameters<typeof played>) => linesOf(played(...args)).at(-1)
  const MANY = played(started(), { kind: 'history', events: sampleEvents(40) })
  test.each<[what: string, text: string | undefined, expected: string]>([
    ['how many events lie below', status(MANY, 'pageup', 'pageup'), '18 newer  40 events'],
    ['that the end is in sight', status(MANY, 'k'), 'at the end  40 events'],
    [
      'what came while paused',
      status(MANY, 'p', { kind: 'arrived', events: sampleEvents(7) }),
      'paused, 7 new  47 events',
    ],
    ['the filter while it is typed', status(MANY, '/', '4'), '/4▏ 5 of 40'],
    ['the filter afterwards', status(MANY, '/', '4', 'enter'), 'following  /4 5 of 40'],
    [
      'what is kept, and what went by',
      status(MANY, { kind: 'arrived', events: sampleEvents(6_000) }, { kind: 'drawing' }),
      'following  6,040 events, 5,000 kept, 4,978 not drawn',
    ],
    ['a notice', status(MANY, { kind: 'notice', text: 'Done.', isError: false }), 'Done.  '],
  ])('says %s', (_what, text, expected) => {
    expect(text?.startsWith(expected)).toBe(true)
    expect(text).toMatch(/(q quit|Esc clear)$/)
  })

  test('omits its hints for a long notice', () => {
    const text = 'A notice of some sixty characters, which is not that uncommon at all.'
    expect(status(MANY, { kind: 'notice', text, isError: true })).toBe(text)
  })
})

test.each([
  ['', '  No events yet. They appear here as they happen.'],
  ['zebra', '  No event matches zebra.'],
])('an empty list with the filter %j says so', (filter, line) => {
  expect(linesOf(played(started(), '/', ...filter))[1]).toBe(line)
})

const NO_RESPONSE = { time: NOW, response_status: null, response_body: null, duration_ms: 5 }

describe('whatever the size', () => {
  const evil = sampleEvent(4, {
    id: 'cus_日本',
    email: `日本\u001b]0;title\u0007\u009b31m\n\u202e👩‍👩‍👧‍👦${'語'.repeat(200)}`,
  })
  const withEvents = played(
    WITH_EVENTS,
    { kind: 'arrived', events: [evil] },
    { kind: 'reset' },
    { kind: 'arrived', events: [evil] },
  )
  const several = played(withEvents, {
    kind: 'clocks',
    clocks: [sampleClock(), sampleClock({ id: 'clock_2' })],
  })
  const hostile = '\u001b[2J\u202e日本\u0007'
  const deliveries = [
    sampleDelivery(1, { event_type: hostile, endpoint_url: `http://${hostile}` }),
    sampleDelivery(2, { attempts: [{ ...NO_RESPONSE, error: hostile.repeat(9) }] }),
  ]
  const requests = [
    sampleRequest(1, { method: hostile, path: `/${hostile.repeat(20)}`, ignored_params: [hostile] }),
    sampleRequest(2, { code: hostile, status: 500 }),
  ]
  const named = played(withEvents, {
    kind: 'customers',
    customers: new Map([['cus_1', { name: hostile, email: hostile }]]),
  })
  const modes: readonly State[] = [
    withEvents,
    named,
    played(withEvents, 'w', { kind: 'deliveries', deliveries }),
    played(withEvents, 'w', { kind: 'deliveries', deliveries }, 'enter'),
    played(withEvents, 'r', { kind: 'requests', requests }),
    played(withEvents, 'r', { kind: 'requests', requests }, 'enter'),
    played(withEvents, 'g', 't', {
      kind: 'timeline',
      id: 'cus_1',
      timeline: sampleTimeline('cus_1', hostile),
    }),
    played(withEvents, 'g', 't', { kind: 'timeline', id: 'cus_1', timeline: hostile.repeat(20) }),
    { ...several, watched: { merchant: null, names: new Map([['mer_1', '日本\u001b[2J語'.repeat(9)]]) } },
    played(withEvents, 'k', 'k', 'enter'),
    played(withEvents, 'a'),
    played(withEvents, '?'),
    played(withEvents, '/', '日', '本'),
    played(withEvents, { kind: 'notice', text: `no\u001b[2J ${'日'.repeat(99)}`, isError: true }),
    {
      ...withEvents,
      forwarding: { url: 'http://日', secret: 'whsec_', delivered: 1, failed: 1, lastFailure: '\u001b[2J' },
    },
  ]

  test.each([
    [80, 24],
    [200, 50],
    [30, 6],
    [10, 2],
    [2, 1],
    [1, 1],
  ])('%dx%d no line is too wide, and no control character gets through', (columns, rows) => {
    for (const mode of modes) {
      const state = played(mode, { kind: 'resized', columns, rows })
      for (const line of linesOf(state, true)) {
        const text = withoutColours(line)
        expect(widthOf(text)).toBeLessThanOrEqual(columns)
        expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
      }
    }
  })

  test("the screen has exactly the terminal's lines", () => {
    for (const mode of modes) {
      for (const [columns, rows] of [
        [80, 24],
        [200, 50],
      ] as const) {
        expect(linesOf(played(mode, { kind: 'resized', columns, rows }))).toHaveLength(rows)
      }
    }
  })

  test('without colours there are no escape codes', () => {
    for (const mode of modes) expect(linesOf(mode).join('')).not.toContain(ESC)
  })
})

test('with colours the selected row is inverse over its whole width', () => {
  const row = linesOf(WITH_EVENTS, true)[3] ?? ''
  expect(row.startsWith(`${ESC}[7m▸ 01-31 10:00 subscription.updated`)).toBe(true)
  expect(row.endsWith(`${ESC}[27m`)).toBe(true)
  expect(withoutColours(row)).toHaveLength(80)
  expect(linesOf(WITH_EVENTS, true)[2]).toContain(`${ESC}[31minvoice.payment_failed`)
})
