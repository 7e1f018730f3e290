import { matchesGlob } from '../core/glob.ts'
import { eventCells } from './event-line.ts'
import type { Entry } from './event-log.ts'

/**
 * Returns the entries that match a filter. With a star, the filter is a glob over the type or an ID. Any other filter matches
 * text anywhere in the line or the event's object, such as the customer's ID. Case does not matter. Notes always match.
 * See docs/contract/terminal-ui.md#filter.
 */
export function filtered(entries: readonly Entry[], filter: string): readonly Entry[] {
  const wanted = filter.trim().toLowerCase()
  if (wanted === '') return entries
  const isMatch = wanted.includes('*')
    ? globOf(wanted)
    : (entry: Entry) => textsOf(entry).some((text) => text.includes(wanted))
  return entries.filter((entry) => 'note' in entry || isMatch(entry))
}

/** Matches a glob against the whole type or ID, or a part of any other text. */
const globOf =
  (glob: string) =>
  (entry: Entry): boolean => {
    const [type = '', id = '', object = '', ...texts] = textsOf(entry)
    return (
      [type, id, object].some((name) => matchesGlob(glob, name)) ||
      texts.some((text) => matchesGlob(`*${glob}*`, text))
    )
  }

/** Lists the texts of an event that a filter searches, in lower case: type, ID and object's ID first. */
function textsOf(entry: Entry): string[] {
  if ('note' in entry) return []
  const { event } = entry
  const { type, object, details } = eventCells(event)
  return [type, event.id, object, ...details, ...stringsIn(event.data.object)].map((text) =>
    text.toLowerCase(),
  )
}

/** Lists every string in a value, at any depth, except the kinds of objects, which would match everywhere. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => (name === 'object' ? [] : stringsIn(part)))
}
