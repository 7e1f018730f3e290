import type { Event } from '../client/types.ts'
import { matchesGlob } from '../core/glob.ts'
import { type Customers, finderOf, NO_CUSTOMERS, type Person } from './customers.ts'
import { responseText } from './delivery.ts'
import type { Entry, Item } from './entry-log.ts'
import { eventCells } from './event-line.ts'
import { notesText } from './request-row.ts'

/**
 * The other data that a filter searches, beside an entry's own texts: the names of customers, and the entries that events refer
 * to.
 */
type Surroundings = { readonly customers: Customers; readonly among: readonly Entry[] }

/**
 * Returns the entries that match a filter. With a star, the filter is a glob over the type or an ID. Any other filter matches
 * text anywhere in the line or the object, or the name or email address of the event's customer. Case does not matter. Notes
 * always match.
 * See docs/contract/terminal-ui.md#filter.
 */
export function filtered(
  entries: readonly Entry[],
  filter: string,
  { customers, among }: Surroundings = { customers: NO_CUSTOMERS, among: [] },
): readonly Entry[] {
  const wanted = filter.trim().toLowerCase()
  if (wanted === '') return entries
  const customerOf = finderOf(customers, among)
  const isMatch = wanted.includes('*') ? globOf(wanted) : substringOf(wanted)
  return entries.filter((entry) => 'note' in entry || isMatch(textsOf(entry.item, customerOf)))
}

/** The texts of an entry that a filter searches, in lower case. */
type Texts = { readonly names: readonly string[]; readonly others: readonly string[] }

const substringOf =
  (wanted: string) =>
  ({ names, others }: Texts): boolean =>
    [...names, ...others].some((text) => text.includes(wanted))

/** Matches a glob against a whole type or ID, or a part of any other text. */
const globOf =
  (glob: string) =>
  ({ names, others }: Texts): boolean =>
    names.some((name) => matchesGlob(glob, name)) || others.some((text) => matchesGlob(`*${glob}*`, text))

function textsOf(item: Item, customerOf: (event: Event) => Person | undefined): Texts {
  switch (item.object) {
    case 'event': {
      const { type, object, details } = eventCells(item)
      const { name, email } = customerOf(item) ?? {}
      const others = [...details, name ?? '', email ?? '', ...stringsIn(item.data.object)]
      return lowered([type, item.id, object], others)
    }
    case 'webhook_delivery':
      return lowered(
        [item.event_type, item.id, item.event, item.endpoint],
        [responseText(item), ...stringsIn(item)],
      )
    case 'request':
      return lowered(
        [item.id],
        [`${item.method} ${item.path}`, String(item.status), notesText(item), ...stringsIn(item)],
      )
  }
}

const lowered = (names: readonly string[], others: readonly string[]): Texts => ({
  names: names.map((text) => text.toLowerCase()),
  others: others.map((text) => text.toLowerCase()),
})

/** Lists every string in a value, at any depth, except the kinds of objects, which would match everywhere. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => (name === 'object' ? [] : stringsIn(part)))
}
