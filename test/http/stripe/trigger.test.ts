import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_EVENT_TYPES } from '../../../src/core/kinds.ts'
import { stripeNameOf } from '../../../src/core/stripe-event-names.ts'
import { expectDescribed } from '../../described.ts'
import type { Body } from '../../twin.ts'
import { type StripeTwin, startStripe } from './sdk.ts'

let sdk: StripeTwin
beforeAll(async () => {
  sdk = await startStripe()
})
afterAll(() => sdk.close())

/** Sends a request as the operator. Its response has to be what /openapi.json says of it. */
async function operate(method: string, path: string, params?: object): Promise<Body> {
  const { app, adminToken } = sdk.twin.sandbox
  const response = await app.request(`http://localhost:4242${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${adminToken}`,
      Host: 'localhost:4242',
      'Content-Type': 'application/json',
    },
    ...(params && { body: JSON.stringify(params) }),
  })
  const body = (await response.json()) as Body
  const { status, headers } = response
  expectDescribed(sdk.twin.sandbox, { method, path }, { status, headers, body })
  return { ...body, status }
}

/** Triggers an event by a name, as `paytwin trigger` does. */
const trigger = (type: string): Promise<Body> =>
  operate('POST', '/_paytwin/trigger', { type, form: 'merchant' })

test.each(ALL_EVENT_TYPES.map(stripeNameOf))(
  'a trigger of %s emits the event, or returns when it is emitted',
  async (type) => {
    const { status, error, due, command, events } = await trigger(type)
    expect({ status, error }).toEqual({ status: 200, error: undefined })
    if (due === null) {
      expect(events.map((event: Body) => event.type)).toContain(type)
    } else {
      expect(command).toMatch(/^paytwin clock advance --to /)
      expect(due).toBeGreaterThan(sdk.twin.sandbox.merchant.clock.now)
    }
  },
)

test.each(ALL_EVENT_TYPES)('a trigger by paytwin’s own name %s does the same', async (type) => {
  const { status, error } = await trigger(type)
  expect({ status, error }).toEqual({ status: 200, error: undefined })
})

test.each(['own', 'merchant'])('the form %s of all these events is described', async (form) => {
  const types = new Set<string>()
  let after = ''
  for (let has_more = true; has_more; ) {
    const page = await operate('GET', `/_paytwin/events?limit=100&form=${form}${after}`)
    for (const { type } of page.data) types.add(type)
    has_more = page.has_more
    after = `&starting_after=${page.data.at(-1)?.id}`
  }
  expect(types).toContain(form === 'own' ? 'subscription.created' : 'customer.subscription.created')
  expect(types).toContain('setup_intent.created')
})
