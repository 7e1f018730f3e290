import { describe, expect, test } from 'vitest'
import type { LoggedRequest, Upcoming } from '../../src/client/types.ts'
import { MAX_ENTRIES } from '../../src/ui/entry-log.ts'
import { bodyRows } from '../../src/ui/layout.ts'
import { listOf, type State } from '../../src/ui/state.ts'
import { type Action, step } from '../../src/ui/step.ts'
import { windowOf } from '../../src/ui/viewport.ts'
import {
  commandOf,
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

const arrived = (count: number, first = 1): Action => ({
  kind: 'arrived',
  events: sampleEvents(count, first),
})
const clocks = (...change: Parameters<typeof sampleClock>): Action => ({
  kind: 'clocks',
  clocks: [sampleClock(...change)],
})
const DRAWING: Action = { kind: 'drawing' }

/** The numbers of the entries in sight, and of the selected one. */
function sight(state: State): {
  first: number | undefined
  last: number | undefined
  selected: number | undefined
} {
  const { shown, viewport } = listOf(state)
  const { start, end, selected } = windowOf(shown, viewport, bodyRows(state))
  return { first: shown[start]?.n, last: shown[end - 1]?.n, selected: shown[selected]?.n }
}

const FORTY = played(started(), arrived(40))

describe('the list', () => {
  test('follows the newest', () => {
    expect(sight(FORTY)).toEqual({ first: 19, last: 40, selected: 40 })
    expect(sight(played(FORTY, arrived(5, 41)))).toEqual({ first: 24, last: 45, selected: 45 })
  })

  test.each([
    ['up', 39],
    ['k', 39],
    ['pageup', 19],
    ['home', 1],
    ['g', 1],
  ])('%s selects another entry, which stays selected while new ones arrive', (key, selected) => {
    const state = played(FORTY, key)
    expect(sight(state).selected).toBe(selected)
    expect(sight(played(state, arrived(100, 41)))).toEqual(sight(state))
  })

  test.each([
    ['down', 2],
    ['j', 2],
    ['pagedown', 22],
    [' ', 22],
  ])('%s selects a later entry again', (key, selected) => {
    expect(sight(played(FORTY, 'g', key)).selected).toBe(selected)
  })

  test.each(['end', 'G', 'f'])('%s follows again', (key) => {
    expect(listOf(played(FORTY, 'g', key)).viewport).toEqual({ isFollowing: true })
  })

  test('f stops following', () => {
    expect(sight(played(FORTY, 'f', arrived(9, 41)))).toEqual(sight(FORTY))
  })

  test('does not change while paused, and then shows all new entries', () => {
    const paused = played(FORTY, 'p', arrived(3, 41))
    expect(sight(paused)).toEqual(sight(FORTY))
    expect(listOf(paused).log.held).toHaveLength(3)
    expect(sight(played(paused, 'p')).last).toBe(43)
  })

  test('shows the first kept entry when the visible one was dropped', () => {
    const state = played(FORTY, 'g', arrived(MAX_ENTRIES, 41))
    expect(sight(state)).toMatchObject({ first: 41, selected: 41 })
  })

  test('keeps the selected entry visible in a smaller terminal', () => {
    const state = played(FORTY, 'k', { kind: 'resized', columns: 60, rows: 8 })
    expect(sight(state)).toEqual({ first: 34, last: 39, selected: 39 })
  })

  test('shows a line where another history begins', () => {
    const state = played(FORTY, { kind: 'reset' }, arrived(1, 41))
    expect(listOf(state).shown.slice(-2)).toMatchObject([
      { note: 'the sandbox was reset or restored' },
      { item: { id: 'evt_41' } },
    ])
    expect(played(state, 'k', 'enter').mode.name).toBe('list')
  })
})

describe('a filter', () => {
  const typed = (text: string) => played(FORTY, '/', ...text)

  test('takes effect while it is typed, on present and new entries', () => {
    expect(listOf(typed('ada4')).shown.map(({ n }) => n)).toEqual([4, 40])
    expect(listOf(played(typed('ada4'), arrived(5, 41))).shown.map(({ n }) => n)).toEqual([
      4, 40, 41, 42, 43, 44, 45,
    ])
  })

  test('omits dropped entries', () => {
    const state = played(typed('ada'), arrived(MAX_ENTRIES, 41))
    expect(listOf(state).shown).toHaveLength(MAX_ENTRIES)
    expect(listOf(state).shown).toEqual(listOf(state).log.entries)
  })

  test.each<[what: string, keys: string[], mode: string, filter: string]>([
    ['Enter keeps it', ['enter'], 'list', 'ada4'],
    ['Esc ends it', ['escape'], 'list', ''],
    ['Esc ends it later too', ['enter', 'escape'], 'list', ''],
    ['Backspace takes back a character', ['backspace'], 'filter', 'ada'],
    ['Ctrl-U takes back all', ['ctrl-u'], 'filter', ''],
    ['keys of the list are text', ['q', 'p', ' '], 'filter', 'ada4qp '],
    ['other keys mean nothing', ['up', 'tab', 'ctrl-x'], 'filter', 'ada4'],
    ['/ goes on with it', ['enter', '/', '1'], 'filter', 'ada41'],
  ])('%s', (_what, keys, mode, filter) => {
    const state = played(typed('ada4'), ...keys)
    expect([state.mode.name, listOf(state).filter]).toEqual([mode, filter])
  })

  test('Backspace deletes a whole character', () => {
    expect(listOf(played(typed(''), '👩', 'backspace')).filter).toBe('')
  })

  test('is at most as long as a pattern of event types', () => {
    expect(listOf(played(typed('x'.repeat(300)), 'y')).filter).toBe('x'.repeat(256))
  })

  test('applies to entries that arrived while paused', () => {
    expect(listOf(played(typed('ada4'), 'enter', 'p', arrived(5, 41), 'p')).shown).toHaveLength(7)
  })
})

describe('an event', () => {
  const open = played(FORTY, 'k', 'enter')

  test('is the selected one, and stays while others arrive', () => {
    expect(open.mode).toMatchObject({ name: 'json', item: { id: 'evt_39' }, scroll: 0 })
    expect(played(open, arrived(9, 41)).mode).toEqual(open.mode)
  })

  test.each(['escape', 'enter', 'q'])('%s returns to the list', (key) => {
    const state = played(open, key)
    expect(state.mode).toEqual({ name: 'list' })
    expect(listOf(state)).toEqual(listOf(played(FORTY, 'k')))
  })

  test.each<[keys: string[], rows: number, scroll: number]>([
    [['down'], 8, 1],
    [['j', 'j', 'k'], 8, 1],
    [['up'], 8, 0],
    [['pagedown'], 8, 5],
    [['G'], 8, 8],
    [['end', 'down'], 8, 8],
    [['end', 'pageup', 'home'], 8, 0],
    [['end'], 24, 0],
  ])('%j in %d rows scrolls to line %d', (keys, rows, scroll) => {
    const state = played(open, { kind: 'resized', columns: 80, rows }, ...keys)
    expect(state.mode).toMatchObject({ scroll })
  })

  test('there is none in an empty list', () => {
    expect(played(started(), 'enter').mode.name).toBe('list')
  })
})

describe('the timeline', () => {
  const intent = { type: 'payment_intent.succeeded', object: 'payment_intent', id: 'pi_1' }
  const opened = (object: Record<string, unknown>) =>
    commandOf(played(started(), { kind: 'arrived', events: [sampleEvent(1, object)] }), 't')

  test.each<[what: string, object: Record<string, unknown>, subject: object]>([
    ['the object itself', { object: 'subscription', id: 'sub_1' }, { kind: 'subscription', id: 'sub_1' }],
    ['its invoice', { ...intent, invoice: 'in_1', customer: 'cus_1' }, { kind: 'invoice', id: 'in_1' }],
    ['its customer', { ...intent, invoice: null, customer: 'cus_1' }, { kind: 'customer', id: 'cus_1' }],
  ])('is that of %s', (_what, object, subject) => {
    expect(opened(object)).toEqual({ do: 'read_timeline', subject })
  })

  test('of an object without one is not opened, and the status says so', () => {
    const price = sampleEvent(1, { type: 'price.created', object: 'price', id: 'price_1' })
    const state = played(started(), { kind: 'arrived', events: [price] }, 't')
    expect(state.mode.name).toBe('list')
    expect(state.notice?.text).toBe(
      'A price has no timeline. Customers, subscriptions and invoices have one.',
    )
  })

  test('is one key away from the JSON, in both directions', () => {
    const json = played(FORTY, 'k', 'enter')
    expect(commandOf(json, 't')).toEqual({
      do: 'read_timeline',
      subject: { kind: 'customer', id: 'cus_39' },
    })
    expect(played(json, 't').mode).toMatchObject({ name: 'timeline', timeline: undefined })
    expect(played(json, 't', 't').mode).toEqual(json.mode)
    expect(played(json, 't', 'escape').mode.name).toBe('list')
  })

  test('arrives later, unless another one has been opened', () => {
    const open = played(FORTY, 't')
    const timeline = sampleTimeline('cus_40')
    expect(played(open, { kind: 'timeline', id: 'cus_40', timeline }).mode).toMatchObject({ timeline })
    expect(played(open, { kind: 'timeline', id: 'cus_39', timeline }).mode).toEqual(open.mode)
    expect(played(FORTY, { kind: 'timeline', id: 'cus_40', timeline }).mode.name).toBe('list')
  })
})

describe('the views', () => {
  const deliveries = (...given: Parameters<typeof sampleDelivery>[]): Action => ({
    kind: 'deliveries',
    deliveries: given.map((each) => sampleDelivery(...each)),
  })
  const requests = (count: number, first = 1): Action => ({
    kind: 'requests',
    requests: Array.from({ length: count }, (_, index) => sampleRequest(first + index)),
  })

  test.each([
    ['w', 'webhooks'],
    ['r', 'requests'],
  ] as const)('%s shows %s and reads them, e shows events again', (key, view) => {
    expect(commandOf(FORTY, key)).toEqual({ do: 'show', view })
    const state = played(FORTY, key)
    expect(state.view).toBe(view)
    expect(commandOf(state, key)).toBeUndefined()
    expect(commandOf(state, 'e')).toEqual({ do: 'show', view: 'events' })
    expect(listOf(played(state, 'e')).shown).toEqual(listOf(FORTY).shown)
  })

  test('each has its own position and filter', () => {
    const state = played(FORTY, 'g', '/', 'ada', 'enter', 'r', requests(30), 'g', 'j')
    expect(sight(state)).toEqual({ first: 1, last: 22, selected: 2 })
    expect(listOf(state).filter).toBe('')
    expect(listOf(played(state, '/', ...'v1/9', 'enter')).shown).toHaveLength(1)
    expect(listOf(played(state, 'e')).filter).toBe(listOf(played(FORTY, '/', 'ada')).filter)
  })

  test('hidden events still arrive, and are not counted as missed when they are shown again', () => {
    const state = played(FORTY, DRAWING, 'w', arrived(100, 41), DRAWING, 'e', DRAWING)
    const { undrawn } = listOf(played(FORTY, DRAWING))
    expect(listOf(state)).toMatchObject({ undrawn, log: { arrived: 140 } })
  })

  test('a delivery that is read again is replaced in place, and a new one comes last', () => {
    const first = played(FORTY, 'w', deliveries([1, { status: 'pending' }], [2]))
    const state = played(first, deliveries([1, { status: 'succeeded' }], [2], [3]))
    const shown = listOf(state).shown.map((entry) => 'item' in entry && [entry.n, entry.item.id])
    expect(shown).toEqual([
      [1, 'whd_1'],
      [2, 'whd_2'],
      [3, 'whd_3'],
    ])
    expect(listOf(state).shown[0]).toMatchObject({ item: { status: 'succeeded' } })
    expect(listOf(state).log.arrived).toBe(3)
  })

  test('the first entries are not counted as missed, later ones are', () => {
    const state = played(FORTY, 'r', DRAWING, requests(100), DRAWING)
    expect(listOf(state).undrawn).toBe(0)
    expect(listOf(played(state, requests(100, 101), DRAWING)).undrawn).toBe(100 - bodyRows(state))
  })

  test('Enter shows the JSON of a request; there is no timeline', () => {
    const state = played(FORTY, 'r', requests(2), 'enter')
    expect(state.mode).toMatchObject({ name: 'json', item: { id: 'req_2' } })
    expect(played(state, 't').notice?.text).toBe('Only events have a timeline.')
  })

  test('a reset empties the list of deliveries, whose IDs may occur again', () => {
    expect(listOf(played(FORTY, 'w', deliveries([1]), { kind: 'reset' })).shown).toEqual([])
  })
})

describe('the clock', () => {
  const known = played(FORTY, clocks())
  const next = { due: NOW + 60, kind: 'renewal' } as Upcoming
  const menu = played(known, 'a')

  test('a opens the menu and reads the next job', () => {
    expect(menu.mode).toEqual({ name: 'advance', choice: 0, next: undefined })
    expect(commandOf(known, 'a')).toEqual({ do: 'read_upcoming', merchant: 'mer_1' })
  })

  test.each<[keys: string[], target: object]>([
    [[], { by: '1h' }],
    [['2'], { by: '1d' }],
    [['3'], { by: '1w' }],
    [['down', 'j', 'j'], { by: '1mo' }],
    [['4', 'up'], { by: '1w' }],
    [['up'], { by: '1h' }],
    [['5'], { to: NOW + 60 }],
    [['5', 'down'], { to: NOW + 60 }],
  ])('%j and Enter advance by %o', (keys, target) => {
    const state = played(menu, { kind: 'upcoming', next }, ...keys)
    expect(commandOf(state, 'enter')).toEqual({ do: 'advance', merchant: 'mer_1', target })
    expect(played(state, 'enter').mode.name).toBe('list')
  })

  test.each(['escape', 'q', 'a'])('%s closes the menu', (key) => {
    expect(commandOf(menu, key)).toBeUndefined()
    expect(played(menu, key).mode.name).toBe('list')
  })

  test.each([
    [undefined, 'The next job is not known yet.'],
    [null, 'No job is due, so there is no time to advance to.'],
  ])('next job, where next is %s, says why not', (given, text) => {
    const state = given === null ? played(menu, { kind: 'upcoming', next: null }, '5') : played(menu, '5')
    expect(commandOf(state, 'enter')).toBeUndefined()
    expect(played(state, 'enter').notice?.text).toBe(text)
  })

  test('a response after the menu was closed is ignored', () => {
    expect(played(known, { kind: 'upcoming', next }).mode).toEqual({ name: 'list' })
  })

  test.each([
    ['frozen', 'unfreeze'],
    ['live', 'freeze'],
  ] as const)('z on a %s one asks to %s it', (mode, what) => {
    expect(commandOf(played(FORTY, clocks({ mode })), 'z')).toEqual({ do: what, merchant: 'mer_1' })
  })

  test('during an advance, a does not open the menu, and c cancels it', () => {
    const moving = played(FORTY, clocks({ status: 'advancing', target: NOW + 9 }))
    expect(played(moving, 'a')).toMatchObject({
      mode: { name: 'list' },
      notice: { text: 'The clock is already advancing. Press c to cancel.' },
    })
    expect(commandOf(moving, 'c')).toEqual({ do: 'cancel', merchant: 'mer_1' })
    expect(played(known, 'c').notice?.text).toBe('The clock is not advancing.')
  })

  test.each<[what: string, state: State, text: string]>([
    ['is not known yet', FORTY, 'The clock is not known yet.'],
    [
      'went with its merchant',
      played(FORTY, { kind: 'clocks', clocks: [] }),
      'The merchant no longer exists.',
    ],
    [
      'is one of several',
      played(FORTY, { kind: 'clocks', clocks: [sampleClock(), sampleClock({ id: 'clock_2' })] }),
      'Several merchants are shown. To control a clock, start with --merchant ID.',
    ],
  ])('that %s cannot be controlled, and the status says why', (_what, state, text) => {
    for (const key of ['a', 'z', 'c']) {
      expect(commandOf(state, key)).toBeUndefined()
      expect(played(state, key).notice).toMatchObject({ text, isError: true })
    }
  })

  test('after a command shows the instant of the notice in the header at once', () => {
    const frozen = { ...played(FORTY, clocks({ mode: 'live' })), at: 900 }
    const text = 'The clock is frozen at 2026-01-31T10:00:09Z.'
    const state = played(frozen, { kind: 'clock_changed', clocks: [sampleClock({ now: NOW + 9 })], text })
    expect(state.clock).toMatchObject({ known: 'one', clock: { mode: 'frozen', now: NOW + 9 } })
    expect(state.notice?.text).toBe(text)
  })

  test('is deleted while the menu is open: the status says so', () => {
    expect(played(menu, { kind: 'clocks', clocks: [] }, 'enter').notice?.isError).toBe(true)
  })
})

describe('everywhere', () => {
  const modes = [
    FORTY,
    played(FORTY, 'enter'),
    played(FORTY, '?'),
    played(FORTY, '/'),
    played(FORTY, clocks(), 'a'),
  ]

  test.each(modes.map((state) => [state.mode.name, state] as const))('Ctrl-C quits: %s', (_name, state) => {
    expect(commandOf(state, 'ctrl-c')).toEqual({ do: 'quit' })
    expect(commandOf(state, 'ctrl-l')).toEqual({ do: 'redraw' })
  })

  test('q quits from the list alone', () => {
    expect(modes.map((state) => commandOf(state, 'q')?.do)).toEqual([
      'quit',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  test.each(['?', 'escape', 'enter', 'q'])('%s leaves help', (key) => {
    expect(played(FORTY, '?', key).mode.name).toBe('list')
  })

  test.each(['x', 'tab', 'ctrl-x', 'ü'])('%s has no effect', (key) => {
    for (const state of [FORTY, played(FORTY, 'enter'), played(FORTY, '?')])
      expect(played(state, key)).toEqual(state)
  })
})

describe('ignored parameters', () => {
  const request: LoggedRequest = {
    id: 'req_1',
    object: 'request',
    time: 0,
    method: 'GET',
    path: '/v1/customers?zebra=1&yak=2',
    status: 200,
    duration_ms: 1,
    key: null,
    replayed: false,
    code: null,
    ignored_params: ['zebra', 'yak'],
    merchant_id: null,
  }

  test('are named in the status line', () => {
    const text = 'GET /v1/customers ignored zebra, yak'
    expect(played(FORTY, { kind: 'ignored', request }).notice).toMatchObject({ text, isError: false })
  })

  test('do not replace an error', () => {
    const failed = played(FORTY, { kind: 'notice', text: 'No.', isError: true })
    expect(played(failed, { kind: 'ignored', request }).notice?.text).toBe('No.')
  })
})

describe('entries that scroll past between two frames', () => {
  test('leave the lists as they are if there are none, so that an idle UI draws its header only', () => {
    const state = played(FORTY, DRAWING)
    expect(played(state, DRAWING).lists).toBe(state.lists)
  })

  test('are counted if they were never visible', () => {
    const state = played(started(), DRAWING, arrived(100), DRAWING)
    expect(listOf(state).undrawn).toBe(100 - bodyRows(state))
    expect(listOf(played(state, arrived(5, 101), DRAWING)).undrawn).toBe(listOf(state).undrawn)
  })

  test.each<[what: string, keys: string[]]>([
    ['when the list stands elsewhere', ['k']],
    ['when it is paused', ['p']],
    ['when an event is open', ['enter']],
    ['when help is open', ['?']],
  ])('is not counted %s', (_what, keys) => {
    const state = played(FORTY, DRAWING, ...keys)
    expect(listOf(played(state, arrived(100, 41), DRAWING)).undrawn).toBe(listOf(state).undrawn)
  })

  test('are not counted if the filter omits them, or a pause has shown them', () => {
    const filtering = played(FORTY, DRAWING, '/', ...'zebra', arrived(100, 41), DRAWING)
    expect(listOf(filtering).undrawn).toBe(listOf(played(FORTY, DRAWING)).undrawn)
    const paused = played(FORTY, DRAWING, 'p', arrived(100, 41), DRAWING, 'p', DRAWING)
    expect(listOf(paused).undrawn).toBe(listOf(played(FORTY, DRAWING)).undrawn)
  })

  test('do not include the history', () => {
    const state = played(started(), { kind: 'history', events: sampleEvents(100) }, DRAWING)
    expect(state.rate).toEqual([])
    expect(listOf(state)).toMatchObject({ undrawn: 0, log: { arrived: 100 } })
  })
})

describe('a notice', () => {
  const notice: Action = { kind: 'notice', text: 'Said.', isError: false }

  test('stays for some seconds', () => {
    const state = step(started(), notice, 1_000).state
    expect(step(state, DRAWING, 8_999).state.notice?.text).toBe('Said.')
    expect(step(state, DRAWING, 9_000).state.notice).toBeNull()
  })

  test('of an error is removed when the connection is back', () => {
    const failed = played(started(), { kind: 'connection', connection: 'lost' }, { ...notice, isError: true })
    expect(played(failed, { kind: 'connection', connection: 'connected' })).toMatchObject({
      notice: null,
      connection: 'connected',
    })
    const fine = played(started(), notice)
    expect(played(fine, { kind: 'connection', connection: 'connected' }).notice).not.toBeNull()
  })
})

test('forwarded events are counted, with the reason of the last failure', () => {
  const state = played(
    {
      ...started(),
      forwarding: { url: 'http://a', secret: 's', delivered: 0, failed: 0, lastFailure: null },
    },
    { kind: 'forwarded', failure: null },
    { kind: 'forwarded', failure: 'returned 500' },
    { kind: 'forwarded', failure: null },
  )
  expect(state.forwarding).toMatchObject({ delivered: 2, failed: 1, lastFailure: 'returned 500' })
  expect(played(started(), { kind: 'forwarded', failure: null }).forwarding).toBeNull()
})
