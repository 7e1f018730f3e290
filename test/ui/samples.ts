import type { Clock, CustomerTimeline, Event, LoggedRequest, Resource } from '../../src/client/types.ts'
import type { Delivery } from '../../src/ui/delivery.ts'
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

/** A delivery that was answered with 200. */
export const sampleDelivery = (n: number, change: Partial<Delivery> = {}): Delivery => ({
  id: `whd_${n}`,
  object: 'webhook_delivery',
  event: `evt_${n}`,
  event_type: 'invoice.paid',
  endpoint: 'we_1',
  endpoint_url: 'http://127.0.0.1:3000/webhooks',
  status: 'succeeded',
  created: NOW,
  attempts: [{ time: NOW, response_status: 200, response_body: 'ok', error: null, duration_ms: 5 }],
  next_attempt: null,
  merchant_id: 'mer_1',
  ...change,
})

export const sampleRequest = (n: number, change: Partial<LoggedRequest> = {}): LoggedRequest => ({
  id: `req_${n}`,
  object: 'request',
  time: 1000 * NOW,
  method: 'POST',
  path: `/v1/${n}`,
  status: 200,
  duration_ms: 1.5,
  key: null,
  replayed: false,
  code: null,
  ignored_params: [],
  merchant_id: 'mer_1',
  ...change,
})

/** The timeline of a customer who was created, and nothing else. */
export const sampleTimeline = (id: string, label = 'ada@example.com'): CustomerTimeline => {
  const list = (...data: object[]) => ({ object: 'list', url: '', has_more: false, data, livemode: false })
  const entry = {
    id: 'evt_1',
    object: 'timeline_entry',
    created: NOW,
    type: 'customer.created',
    resource: 'customer',
    resource_id: id,
    customer: id,
    label,
    request: 'req_1',
  }
  return {
    id,
    object: 'customer',
    related: { customer: { id }, subscriptions: list(), invoices: list(), payment_methods: list(), owed: [] },
    timeline: { object: 'timeline', now: NOW, as_of: NOW, happened: list(entry), upcoming: list() },
  } as unknown as CustomerTimeline
}

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
