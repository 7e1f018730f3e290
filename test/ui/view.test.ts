import { describe, expect, test } from 'vitest'
import type { Event, Upcoming } from '../../src/client/types.ts'
import { widthOf } from '../../src/ui/fit.ts'
import type { State } from '../../src/ui/state.ts'
import { view } from '../../src/ui/view.ts'
import { NOW, played, sampleClock, sampleEvent, sampleEvents, started } from './samples.ts'

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
const TOLD = played(started({ rows: 8 }), { kind: 'history', events: STORY }, clocks())

describe('at 80 columns', () => {
  test('a row has time, type, object and details', () => {
    expect(linesOf(TOLD)).toEqual([
      'Default merchant  2026-01-31T10:00:00Z frozen                   0/s  ● connected',
      '  01-31 10:00 customer.created       cus_1 ada1@example.com',
      '  01-31 10:00 invoice.payment_failed in_000002lGCd4P9X 20.00 USD attempt 2 of 5…',
      '▸ 01-31 10:00 subscription.updated   sub_000001iCHPU6Vi active → past_due',
      '',
      '',
      '',
      'following  3 events                                               ? help  q quit',
    ])
  })

  test('the menu shows the target of each choice', () => {
    const next = { due: NOW + 60, kind: 'renewal', subscription: 'sub_1' } as Upcoming
    const state = played({ ...TOLD, rows: 12 }, 'a', { kind: 'upcoming', next }, '2')
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
    const menu = played({ ...TOLD, rows: 12 }, 'a')
    const state = next === null ? played(menu, { kind: 'upcoming', next }) : menu
    expect(linesOf(state).at(-2)).toBe(line)
  })

  test('after the last valid instant the menu shows no targets', () => {
    const state = played(TOLD, clocks({ now: 253_402_300_799 }), 'a')
    expect(linesOf(state).at(-3)).toBe('  4  1 month  ')
  })

  test('help lists every key of the contract', () => {
    const text = linesOf(played({ ...TOLD, rows: 24 }, '?')).join('\n')
    for (const label of ['↑ k', '↓ j', 'Enter', '/', 'f', 'a', 'z', 'p', '?', 'q'])
      expect(text).toMatch(new RegExp(`^  ${label.replace('?', '\\?')} +\\S`, 'm'))
    expect(text).not.toContain('…\n')
  })

  test('an event is shown as JSON', () => {
    const state = played(TOLD, 'g', 'enter')
    expect(linesOf(state).slice(1)).toEqual([
      '{',
      '  "id": "evt_1",',
      '  "object": "event",',
      '  "type": "customer.created",',
      '  "created": 1769853600,',
      '  "merchant_id": "mer_1",',
      'evt_1  lines 1–6 of 14                                       ↑↓ scroll  Esc back',
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
  const told = played(TOLD, { kind: 'arrived', events: [renewed] })
  const several = { ...told, clock: { known: 'several', count: 2 } } as const
  const rows = (state: State, columns: number) =>
    linesOf({ ...state, columns })
      .slice(2, 5)
      .map((line) => line.slice(2))

  test('aligns types of every length from 102 columns on', () => {
    expect(rows(told, 101)[0]).toBe(
      '01-31 10:00 invoice.payment_failed in_000002lGCd4P9X 20.00 USD attempt 2 of 5 next 2026-02-01',
    )
    expect(rows(told, 102)[0]).toBe(
      '01-31 10:00 invoice.payment_failed        in_000002lGCd4P9X 20.00 USD attempt 2 of 5 next 2026-02-01',
    )
  })

  test('has days in its details if there is no room for complete times', () => {
    expect(rows(told, 126)[2]).toBe(
      '01-31 10:00 subscription.updated          sub_000001iCHPU6Vi active → past_due period 2026-01-31 – 2026-02-28',
    )
    expect(rows(told, 127)[0]).toBe(
      '2026-01-31T10:00:00Z  invoice.payment_failed         in_000002lGCd4P9X  20.00 USD  attempt 2 of 5  next 2026-02-01T10:00:00Z',
    )
  })

  test('has the merchant of each event from 102 columns on, if several are shown', () => {
    expect(rows(several, 101)[1]).toBe(rows(told, 101)[1])
    expect(rows(several, 102)[1]).toBe(
      '01-31 10:00 Default merchant   subscription.updated          sub_000001iCHPU6Vi active → past_due',
    )
    expect(rows(several, 200)[1]).toBe(
      '2026-01-31T10:00:00Z  Default merchant    subscription.updated           sub_000001iCHPU6Vi  active → past_due',
    )
  })
})

describe('the top line', () => {
  const top = (state: State) => linesOf(state)[0]
  test.each<[what: string, state: State, text: string]>([
    [
      'a live clock that goes on',
      { ...played(TOLD, clocks({ mode: 'live' })), at: 61_000 },
      '2026-01-31T10:01:01Z live',
    ],
    [
      'how far an advance has come',
      played(
        TOLD,
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
      played(TOLD, { kind: 'clocks', clocks: [sampleClock(), sampleClock({ id: 'clock_2' })] }),
      '2 merchants  each with its own clock',
    ],
    [
      'a merchant that is gone',
      played({ ...TOLD, watched: { merchant: 'mer_9', names: new Map() } }, { kind: 'clocks', clocks: [] }),
      'mer_9  merchant deleted',
    ],
    ['nothing that is not known yet', started(), 'paytwin  '],
    ['a lost connection', played(TOLD, { kind: 'connection', connection: 'lost' }), '○ reconnecting'],
    ['a connection that is still to come', { ...TOLD, connection: 'connecting' }, '○ connecting'],
    ['events a second', played(TOLD, { kind: 'arrived', events: sampleEvents(2468) }), '1,234/s'],
  ])('shows %s', (_what, state, text) => {
    expect(top(state)).toContain(text)
  })

  test('has IDs, targets and jobs if there is room', () => {
    const progress = { jobs: 1234, events: 0, invoices_paid: 0, payments_failed: 0, stopped_on: null }
    const state = played(
      { ...TOLD, columns: 200 },
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
      lastFailure: 'answered 500',
    }
    expect(linesOf({ ...TOLD, forwarding })[1]).toBe(
      '→ http://a/b  1,234 delivered, 1 failed: answered 500  signed with whsec_c',
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

describe('whatever the size', () => {
  const evil = sampleEvent(4, {
    id: 'cus_日本',
    email: `日本\u001b]0;title\u0007\u009b31m\n\u202e👩‍👩‍👧‍👦${'語'.repeat(200)}`,
  })
  const told = played(
    TOLD,
    { kind: 'arrived', events: [evil] },
    { kind: 'reset' },
    { kind: 'arrived', events: [evil] },
  )
  const several = played(told, { kind: 'clocks', clocks: [sampleClock(), sampleClock({ id: 'clock_2' })] })
  const modes: readonly State[] = [
    told,
    { ...several, watched: { merchant: null, names: new Map([['mer_1', '日本\u001b[2J語'.repeat(9)]]) } },
    played(told, 'k', 'k', 'enter'),
    played(told, 'a'),
    played(told, '?'),
    played(told, '/', '日', '本'),
    played(told, { kind: 'notice', text: `no\u001b[2J ${'日'.repeat(99)}`, isError: true }),
    {
      ...told,
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
  const row = linesOf(TOLD, true)[3] ?? ''
  expect(row.startsWith(`${ESC}[7m▸ 01-31 10:00 subscription.updated`)).toBe(true)
  expect(row.endsWith(`${ESC}[27m`)).toBe(true)
  expect(withoutColours(row)).toHaveLength(80)
  expect(linesOf(TOLD, true)[2]).toContain(`${ESC}[31minvoice.payment_failed`)
})
