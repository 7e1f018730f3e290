import { type ApiError, invalidStateTransition } from './errors.ts'

/**
 * A status machine as data: for each status, the allowed events and the status that each leads to. The type is
 * exhaustive, so a table that lacks a status does not compile.
 */
export type Transitions<Status extends string, Event extends string> = Readonly<
  Record<Status, Readonly<Partial<Record<Event, Status>>>>
>

/** Reports whether the table lists an event for a status. */
export const allows = <Status extends string, Event extends string>(
  table: Transitions<Status, Event>,
  status: Status,
  event: Event,
): boolean => table[status][event] !== undefined

/**
 * Returns the next status. No other function applies a table.
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

/** Creates the error for an action that the status does not allow: `cannotBe('An invoice', invoice, 'voided')`. */
export const cannotBe = (what: string, { status }: { readonly status: string }, done: string): ApiError =>
  invalidStateTransition(`${what} whose status is ${status} cannot be ${done}`)
