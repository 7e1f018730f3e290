import { matchesGlob } from '../core/glob.ts'
import { eventCells } from './event-line.ts'
import type { Entry } from './event-log.ts'

/**
 * The entries that a filter lets through. With a star it is a glob of the type or of an id; without, and for texts, it is
 * anything that the line shows or the event's object holds, such as the customer's id. Case does not matter. Notes always pass.
 * See docs/contract/terminal-ui.md#filter.
 */
export function filtered(entries: readonly Entry[], filter: string): readonly Entry[] {
  const wanted = filter.trim().toLowerCase()
  if (wanted === '') return entries
  const isWanted = wanted.includes('*')
    ? globOf(wanted)
    : (entry: Entry) => textsOf(entry).some((text) => text.includes(wanted))
  return entries.filter((entry) => 'note' in entry || isWanted(entry))
}

/** As a glob of the whole type or id, or of a part of any text. */
const globOf =
  (glob: string) =>
  (entry: Entry): boolean => {
    const [type = '', id = '', object = '', ...texts] = textsOf(entry)
    return (
      [type, id, object].some((name) => matchesGlob(glob, name)) ||
      texts.some((text) => matchesGlob(`*${glob}*`, text))
    )
  }

/** What of an event a filter looks at, in lower case: type, id and object's id first. */
function textsOf(entry: Entry): string[] {
  if ('note' in entry) return []
  const { event } = entry
  const { type, object, details } = eventCells(event)
  return [type, event.id, object, ...details, ...stringsIn(event.data.object)].map((text) =>
    text.toLowerCase(),
  )
}

/** Every string that a value holds, at any depth; the kinds of objects apart, which would match everywhere. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => (name === 'object' ? [] : stringsIn(part)))
}
