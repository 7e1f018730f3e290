import type { Clock, Event, Resource } from '../../src/client/types.ts'
import { type State, startingState } from '../../src/ui/state.ts'
import { type Action, step } from '../../src/ui/step.ts'

export const NOW = 1_769_853_600

/** An event of a customer that was made; its ids end in `n`. */
export const sampleEvent = (
  n: number,
  { type = 'customer.created', ...object }: Record<string, unknown> = {},
): Event => ({
  id: `evt_${n}`,
  object: 'event',
  type: String(type),
  created: NOW,
  merchant_id: 'mer_1',
  data: {
    object: { object: 'customer', id: `cus_${n}`, email: `ada${n}@example.com`, ...object } as Resource,
  },
})

export const sampleEvents = (count: number, first = 1): Event[] =>
  Array.from({ length: count }, (_, index) => sampleEvent(first + index))

export const sampleClock = (change: Partial<Clock> = {}): Clock => ({
  id: 'clock_1',
  object: 'clock',
  mode: 'frozen',
  now: NOW,
  status: 'ready',
  target: null,
  merchant_id: 'mer_1',
  ...change,
})

export const started = (change: Partial<Pick<State, 'columns' | 'rows'>> = {}): State => ({
  ...startingState({
    columns: 80,
    rows: 24,
    watched: { merchant: null, names: new Map([['mer_1', 'Default merchant']]) },
    forward: null,
    ...change,
  }),
  connection: 'connected',
})

/** The state after actions; a text is a key. All of them at one instant. */
export const played = (state: State, ...actions: readonly (Action | string)[]): State =>
  actions.reduce(
    (before: State, action) =>
      step(before, typeof action === 'string' ? { kind: 'key', key: action } : action, before.at).state,
    state,
  )

/** What a key wants done, besides changing the state. */
export const commandOf = (state: State, key: string) => step(state, { kind: 'key', key }, state.at).command
