import type { Event } from '../client/types.ts'
import type { Item } from './entry-log.ts'
import { bodyRows } from './layout.ts'
import { lineCount } from './page.ts'
import { inMode, listOf, noticed, only, type State, type Step } from './state.ts'
import { subjectOf } from './subject.ts'
import { windowOf } from './viewport.ts'

/** Opens the JSON of the selected entry. */
export function openSelected(state: State): Step {
  const item = selectedItem(state)
  return item ? inMode(state, { name: 'json', item, scroll: 0 }) : only(state)
}

/** Opens the timeline of the selected event's object. */
export function openTimeline(state: State): Step {
  const item = selectedItem(state)
  if (!item) return only(state)
  return item.object === 'event' ? timelineOf(state, item) : only(noticed(state, ONLY_EVENTS))
}

/** Switches an open event between its JSON and the timeline of its object. */
export function toggleTimeline(state: State): Step {
  const { mode } = state
  if (mode.name === 'timeline') return inMode(state, { name: 'json', item: mode.event, scroll: 0 })
  if (mode.name !== 'json') return only(state)
  return mode.item.object === 'event' ? timelineOf(state, mode.item) : only(noticed(state, ONLY_EVENTS))
}

const ONLY_EVENTS = 'Only events have a timeline.'

/** Opens a timeline, and reads it. */
function timelineOf(state: State, event: Event): Step {
  const subject = subjectOf(event)
  if (!subject) {
    const kind = event.data.object.object.replaceAll('_', ' ')
    return only(noticed(state, `A ${kind} has no timeline. Customers, subscriptions and invoices have one.`))
  }
  return {
    state: { ...state, mode: { name: 'timeline', event, subject, timeline: undefined, scroll: 0 } },
    command: { do: 'read_timeline', subject },
  }
}

/** Scrolls an open object by a number of lines. */
export function scrolled(state: State, by: number): Step {
  const { mode } = state
  if (mode.name !== 'json' && mode.name !== 'timeline') return only(state)
  const lowest = Math.max(0, lineCount(state) - bodyRows(state))
  const scroll = Math.max(0, Math.min(lowest, Math.min(mode.scroll, lowest) + by))
  return inMode(state, { ...mode, scroll })
}

function selectedItem(state: State): Item | undefined {
  const { shown, viewport } = listOf(state)
  const entry = shown[windowOf(shown, viewport, bodyRows(state)).selected]
  return entry && 'item' in entry ? entry.item : undefined
}
