import { expect, test } from 'vitest'
import { view } from '../../src/ui/view.ts'
import { played, sampleEvent, sampleTimeline, started } from './samples.ts'

/** An event that counts how often it is written as JSON. */
function countedEvent() {
  const event = sampleEvent(1)
  const counted = { ...event, written: 0 }
  const toJSON = () => {
    counted.written++
    return event
  }
  return Object.defineProperty(counted, 'toJSON', { value: toJSON })
}

test('an open object is laid out once for all keys and frames of a width', () => {
  const event = countedEvent()
  const list = played(started({ rows: 8 }), { kind: 'history', events: [event] })
  const before = event.written
  let state = played(list, 'enter')
  for (const key of ['down', 'down', 'up', 'down']) {
    view(state, { isColoured: true })
    state = played(state, key)
  }
  expect(view(state, { isColoured: false }).status).toContain('lines 3–8 of 14')
  expect(event.written).toBe(before + 1)

  const narrow = played(state, { kind: 'resized', columns: 20, rows: 8 })
  expect(view(narrow, { isColoured: false }).body).not.toEqual(view(state, { isColoured: false }).body)
})

test('an open timeline is drawn once for all keys and frames of a width', () => {
  const { timeline, ...rest } = sampleTimeline('cus_1')
  let drawn = 0
  const counted = Object.defineProperty(rest, 'timeline', {
    get: () => {
      drawn++
      return timeline
    },
  }) as ReturnType<typeof sampleTimeline>
  const list = played(started({ rows: 8 }), { kind: 'history', events: [sampleEvent(1)] }, 't')
  let state = played(list, { kind: 'timeline', id: 'cus_1', timeline: counted })
  for (const key of ['down', 'up', 'down']) {
    view(state, { isColoured: true })
    state = played(state, key)
  }
  expect(view(state, { isColoured: false }).body.join('\n')).toContain('ada@example.com')
  expect(drawn).toBe(1)
})
