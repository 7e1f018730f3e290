/** @jsxImportSource hono/jsx */
import type { Timeline, TimelineEntry } from '../client/types.ts'
import { instantText, Time } from '../http/html/time.tsx'
import { toJson } from '../text/display.ts'
import { Scroll } from './text.tsx'

/** The instants at which something happened, oldest first, then the present; and which one is chosen. */
export type Steps = { readonly instants: readonly number[]; readonly chosen: number }

/** Computes the steps of a history. @param given - the number of the chosen step; the last one by default */
export function stepsOf({ happened, now }: Timeline, given: string | null): Steps {
  const instants = [...new Set(happened.data.map(({ created }) => created)), now]
  const last = instants.length - 1
  const isNumber = given !== null && /^\d{1,6}$/.test(given)
  return { instants, chosen: isNumber ? Math.min(Number(given), last) : last }
}

/** A changed field, with its values as JSON. */
export type Change = {
  readonly type: string
  readonly field: string
  readonly from: string
  readonly to: string
}

/** Lists the changed fields of an object at an instant. */
export const changesAt = (
  { happened }: Timeline,
  { at, id }: { readonly at: number | undefined; readonly id: string },
): Change[] =>
  happened.data
    .filter(({ created, resource_id }) => created === at && resource_id === id)
    .flatMap(({ type, changes = {} }: TimelineEntry) =>
      Object.entries(changes).map(([field, { from, to }]) => ({
        type,
        field,
        from: toJson(from ?? null),
        to: toJson(to ?? null),
      })),
    )

type SliderProps = {
  readonly steps: Steps
  /** The parameter of the page that the slider keeps. */
  readonly changes: number | undefined
}

/** The slider over the steps. Without script, its button shows the chosen step. */
export const StepSlider = ({ steps: { instants, chosen }, changes }: SliderProps) => {
  const last = instants.length - 1
  return (
    <form class="slider" method="get">
      <label>
        As of
        <input
          type="range"
          name="step"
          min="0"
          max={last}
          value={chosen}
          aria-valuetext={chosen === last ? 'now' : instantText(instants[chosen] ?? 0)}
        />
      </label>
      <output>
        {chosen === last ? 'now' : <Time at={instants[chosen] ?? null} />}
        <small>
          {' '}
          step {chosen + 1} of {instants.length}
        </small>
      </output>
      {changes === undefined ? null : <input type="hidden" name="changes" value={changes} />}
      <button type="submit">Show</button>
      {chosen === last ? null : <a href={changes === undefined ? '?' : `?changes=${changes}`}>Back to now</a>}
    </form>
  )
}

const MAX_SHOWN = 200
const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** What changed at the chosen step. */
export const StepChanges = ({ changes, isPast }: { changes: readonly Change[]; isPast: boolean }) => {
  if (!isPast) return null
  if (changes.length === 0) return <p class="empty">No field of the object itself changed at this time.</p>
  return (
    <Scroll label="Changed fields">
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Field</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ type, field, from, to }) => (
            <tr>
              <td>{type}</td>
              <td>{field}</td>
              <td>
                <code class="value">{shortened(from)}</code>
              </td>
              <td>
                <code class="value">{shortened(to)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
