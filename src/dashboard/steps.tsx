/** @jsxImportSource hono/jsx */
import type { Timeline, TimelineEntry } from '../client/types.ts'
import { instantText, Time } from '../http/html/time.tsx'
import { toJson } from '../text/display.ts'
import { ObjectLink } from './object-link.tsx'
import { Scroll } from './text.tsx'

/** The instants of changes, oldest first, then the present; and the index of the chosen one. */
export type Steps = { readonly instants: readonly number[]; readonly chosen: number }

/** Computes the steps of a history. @param given - the index of the chosen step; the last one by default */
export function stepsOf({ happened, now }: Timeline, given: string | null): Steps {
  const instants = [...new Set(happened.data.map(({ created }) => created)), now]
  const last = instants.length - 1
  const isNumber = given !== null && /^\d{1,6}$/.test(given)
  return { instants, chosen: isNumber ? Math.min(Number(given), last) : last }
}

/** A change at an instant: of a field, with its values as JSON, or of a whole object. */
export type Change = {
  readonly type: string
  readonly object: { readonly resource: string; readonly id: string }
  readonly field?: { readonly name: string; readonly from: string; readonly to: string }
}

/** Lists the changes of an object at an instant, then those of the objects that belong to it. */
export function changesAt(
  { happened }: Timeline,
  { at, id }: { readonly at: number | undefined; readonly id: string },
): Change[] {
  const entries = happened.data.filter(({ created }) => created === at)
  const own = entries.filter(({ resource_id }) => resource_id === id)
  const others = entries.filter(({ resource_id }) => resource_id !== id)
  return [...own, ...others].flatMap(changesOf)
}

function changesOf({ type, resource, resource_id, changes = {} }: TimelineEntry): Change[] {
  const change = { type, object: { resource, id: resource_id } }
  const fields = Object.entries(changes).map(([name, { from, to }]) => ({
    ...change,
    field: { name, from: toJson(from ?? null), to: toJson(to ?? null) },
  }))
  return fields.length > 0 ? fields : [change]
}

type SliderProps = {
  readonly steps: Steps
  /** A parameter of the page's address, which the slider keeps. */
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

type ChangesProps = {
  readonly base: string
  readonly changes: readonly Change[]
  readonly isPast: boolean
}

/** The changes at the chosen step, of the object and of the objects that belong to it. */
export const StepChanges = ({ base, changes, isPast }: ChangesProps) => {
  if (!isPast) return null
  return (
    <Scroll label="Changes at this time">
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Object</th>
            <th scope="col">Field</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ type, object, field }) => (
            <tr>
              <td>{type}</td>
              <td>
                <ObjectLink base={base} object={object.resource} id={object.id} />
              </td>
              <td>{field?.name ?? '–'}</td>
              <td>{field ? <code class="value">{shortened(field.from)}</code> : '–'}</td>
              <td>{field ? <code class="value">{shortened(field.to)}</code> : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
