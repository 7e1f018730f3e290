/** @jsxImportSource hono/jsx */
import type { Event } from '../client/types.ts'
import { Time } from '../http/html/time.tsx'
import { ObjectLink } from './object-link.tsx'
import { Scroll, Status } from './text.tsx'

/** A table of events, in the given order. */
export const EventTable = ({ base, events }: { base: string; events: readonly Event[] }) => (
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
      <tbody>
        {events.map(({ id, created, type, data: { object } }) => (
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
        ))}
      </tbody>
    </table>
  </Scroll>
)
