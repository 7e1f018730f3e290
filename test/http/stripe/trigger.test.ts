import { afterAll, beforeAll, expect, test } from 'vitest'
import { ALL_EVENT_TYPES } from '../../../src/core/kinds.ts'
import { stripeNameOf } from '../../../src/http/stripe/event-names.ts'
import type { Body } from '../../twin.ts'
import { type StripeTwin, startStripe } from './sdk.ts'

let sdk: StripeTwin
beforeAll(async () => {
  sdk = await startStripe()
})
afterAll(() => sdk.close())

/** Triggers an event by a name, as `paytwin trigger` does. */
async function trigger(type: string): Promise<Body> {
  const { app, adminToken } = sdk.twin.sandbox
  const response = await app.request('http://localhost:4242/_paytwin/trigger', {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${adminToken}`,
      Host: 'localhost:4242',
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ type, form: 'merchant' }),
  })
  const body = (await response.json()) as Body
  return { ...body, status: response.status }
}

const NAMES = ALL_EVENT_TYPES.map(stripeNameOf)

test.each(NAMES)('a trigger of %s emits the event, or returns when it is emitted', async (type) => {
  const { status, error, due, command, events } = await trigger(type)
  expect({ status, error }).toEqual({ status: 200, error: undefined })
  if (due === null) {
    expect(events.map((event: Body) => event.type)).toContain(type)
  } else {
    expect(command).toMatch(/^paytwin clock advance --to /)
    expect(due).toBeGreaterThan(sdk.twin.sandbox.merchant.clock.now)
  }
})

test.each(ALL_EVENT_TYPES)('a trigger by paytwin’s own name %s does the same', async (type) => {
  const { status, error } = await trigger(type)
  expect({ status, error }).toEqual({ status: 200, error: undefined })
})
