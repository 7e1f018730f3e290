import { type ApiError, invalidStateTransition } from './errors.ts'

/**
 * A status machine as data: for each status, the events it allows and where each of them leads. Exhaustive by type: a
 * status that the table forgets does not compile.
 */
export type Transitions<Status extends string, Event extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Event, Status>>>>
>

/** Whether the table lists this event for this status. */
export const allows = <Status extends string, Event extends string>(
  table: Transitions<Status, Event>,
  status: Status,
  event: Event,
): boolean => table[status][event] !== undefined

/**
 * The next status: the only way along a table.
 * @param refuse - the error for an event that the table does not list; invalid_state_transition if not given
 * @throws ApiError when the table does not list the event for this status
 * See docs/contract/README.md#reading.
 */
export function move<Status extends string, Event extends string>(
  table: Transitions<Status, Event>,
  status: Status,
  event: Event,
  refuse: () => ApiError = () =>
    invalidStateTransition(`Cannot ${event.replaceAll('_', ' ')} while the status is ${status}`),
): Status {
  const next = table[status][event]
  if (next === undefined) throw refuse()
  return next
}

/** The refusal of what a status does not allow, in the API's own words: `cannotBe('An invoice', invoice, 'voided')`. */
export const cannotBe = (what: string, { status }: { readonly status: string }, done: string): ApiError =>
  invalidStateTransition(`${what} whose status is ${status} cannot be ${done}`)
