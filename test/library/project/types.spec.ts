import {
  type Customer,
  createPaytwin,
  type DeletedCustomer,
  type Event,
  type EventType,
  type Invoice,
  type Subscription,
} from 'paytwin'
import { expect, expectTypeOf, test } from 'vitest'

test('an event that was looked at says what it tells of', () => {
  const read = (event: Event) => {
    if (event.type === 'invoice.paid') expectTypeOf(event.data.object).toEqualTypeOf<Invoice>()
    if (event.type === 'customer.deleted') expectTypeOf(event.data.object).toEqualTypeOf<Customer>()
    return event.type
  }
  expectTypeOf(read).returns.toEqualTypeOf<EventType>()
  expectTypeOf<Event<'customer.created'>['data']['object']>().toEqualTypeOf<Customer>()
  expectTypeOf<Subscription['status']>().toExtend<string>()
  expectTypeOf<Subscription['customer']>().toEqualTypeOf<string | Customer | DeletedCustomer>()
})

test('what is no type of event, no fault and no option is an error', async () => {
  const twin = await createPaytwin()
  // @ts-expect-error there is no such event
  await expect(twin.events.list({ type: 'invoice.pade' })).rejects.toThrow()
  // @ts-expect-error nor such a fault
  await expect(twin.faults.add('declined')).rejects.toThrow()
  // @ts-expect-error nor such an option
  await expect(createPaytwin({ clock: 'live' })).rejects.toThrow('no option')
  expectTypeOf(await twin.events.waitFor('*', { timeout: 1 }).catch(() => undefined)).toEqualTypeOf<
    Event | undefined
  >()
  await twin.close()
})
