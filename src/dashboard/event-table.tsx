/** @jsxImportSource hono/jsx */
import type { Event } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import { ObjectLink } from './object-link.tsx'
import { Scroll, Status } from './text.tsx'

/** A table of events, in the given order. */
export const EventTable = ({
  base,
  events,
  isLive = false,
}: {
  base: string
  events: readonly Event[]
  /** Whether the script adds new events. */
  isLive?: boolean
}) => (
  <Scroll label="Events">
    <table>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">Event</th>
          <th scope="col">Object</th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody data-rows={isLive ? '' : undefined} data-part={isLive ? 'rows' : undefined}>
        {events.map((event) => (
          <EventRow base={base} event={event} />
        ))}
      </tbody>
    </table>
  </Scroll>
)

export const EventRow = ({ base, event }: { base: string; event: Event }) => {
  const { id, created, type, data } = event
  const { object } = data
  return (
    <tr>
      <td>
        <Time at={created} />
      </td>
      <td>
        <a href={`${base}/events/${encodeURIComponent(id)}`}>{type}</a>
      </td>
      <td>
        <ObjectLink base={base} object={object.object} id={object.id} />
      </td>
      <td>{typeof object.status === 'string' ? <Status status={object.status} /> : '–'}</td>
    </tr>
  )
}
