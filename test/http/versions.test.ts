import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentView, type View } from '../../src/engine/history/view.ts'
import type { Json } from '../../src/http/json.ts'
import { type Version, VersionHistory } from '../../src/http/versions.ts'
import { startTwin, type Twin } from '../twin.ts'

const [OLD, MIDDLE, NEW] = ['2025-01-01', '2026-03-09', '2026-10-01']

/** Creates a change that appends its letter to the versions in which a resource was converted. */
const marks = (letter: string, name: string, added?: (customer: Json | undefined) => Json) => ({
  description: letter,
  response: (resource: Json, { show }: { show: (kind: 'customer', id: string) => Json | undefined }): Json =>
    resource.object === name
      ? {
          ...resource,
          marks: `${resource.marks ?? ''}${letter}`,
          ...added?.(show('customer', String(resource.customer))),
        }
      : resource,
})

const VERSIONS: readonly Version[] = [
  { date: OLD, changes: [] },
  { date: MIDDLE, changes: [marks('a', 'customer'), marks('b', 'customer'), marks('c', 'order')] },
  {
    date: NEW,
    changes: [marks('d', 'customer'), marks('e', 'order', (whole) => ({ whole })), marks('f', 'customer')],
  },
]

const HISTORY = new VersionHistory(VERSIONS, {
  header: 'X-API-Version',
  present: (_view, object, { id }) => ({ object, id }),
})

let twin: Twin
let view: View
let customer: string
beforeAll(async () => {
  twin = await startTwin()
  const { engine, merchant } = twin.sandbox
  view = currentView({ ...engine, url: engine.url, merchant: merchant.settings })
  customer = (await twin.post('/v1/customers', {})).id
})
afterAll(() => twin.close())

test.each([
  [NEW, undefined],
  [MIDDLE, 'fd'],
  [OLD, 'fdba'],
])('a resource of version %s has the changes of all later versions, the newest first', (date, expected) => {
  const nested = { object: 'list', data: [{ object: 'customer' }] }
  expect(HISTORY.downgrade(date, nested, view)).toEqual({
    object: 'list',
    data: [{ object: 'customer', ...(expected && { marks: expected }) }],
  })
})

test('an entry that was converted before its list is not converted again', () => {
  const entry = { object: 'customer' }
  const shown = HISTORY.downgradeEntry(OLD, entry, { view, counted: view })
  expect(shown).toEqual({ object: 'customer', marks: 'fdba' })
  const { data } = HISTORY.downgrade(OLD, { object: 'list', data: [entry, { ...entry }] }, view)
  expect(data).toEqual([shown, shown])
  expect([data].flat().map((each) => each === shown)).toEqual([true, false])
  expect(HISTORY.downgradeEntry(NEW, entry, { view, counted: view })).toBe(entry)
})

test('an object that a change adds to a resource has the same changes as any other', () => {
  const order = { object: 'order', customer }
  const whole = { object: 'customer', id: customer, marks: 'fdba' }
  expect(HISTORY.downgrade(OLD, order, view)).toEqual({ ...order, marks: 'ec', whole })
})

test('what has no changed resource is not copied, nor are metadata and events', () => {
  const [lines, event] = [[{ object: 'line' }], { object: 'event', data: { object: { object: 'customer' } } }]
  const metadata = { like: { object: 'customer' } }
  const order = { object: 'order', customer, lines, event, metadata }
  const shown = HISTORY.downgrade(OLD, order, view)
  expect(shown.lines).toBe(lines)
  expect(shown.event).toBe(event)
  expect(shown.metadata).toBe(metadata)
  const list = { object: 'list', data: lines }
  expect(HISTORY.downgrade(OLD, list, view)).toBe(list)
})
