import { deliveryRow } from './delivery-row.ts'
import type { Entry } from './entry-log.ts'
import { eventRow, type RowLayout } from './event-row.ts'
import { requestRow } from './request-row.ts'
import type { Span } from './span.ts'

/** Formats an entry as a row of its list. */
export function entryRow(entry: Entry, layout: RowLayout): Span[] {
  if ('note' in entry) return [{ text: `── ${entry.note} ──`, colour: 'dim' }]
  const { item } = entry
  switch (item.object) {
    case 'event':
      return eventRow(item, layout)
    case 'webhook_delivery':
      return deliveryRow(item, layout.columns)
    case 'request':
      return requestRow(item, layout.columns)
  }
}
