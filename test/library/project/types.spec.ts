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

test('a check of the event type narrows the type of its object', () => {
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

test('an unknown event type, fault or option is a compile error', async () => {
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
