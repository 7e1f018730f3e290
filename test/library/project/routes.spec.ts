import {
  type Clock,
  type Customer,
  createPaytwin,
  type DeletedCustomer,
  type List,
  type PaymentMethod,
  type Price,
  RequestRefused,
  type Subscription,
} from 'paytwin'
import { expect, expectTypeOf, test } from 'vitest'

test('a path determines the parameters and the response', async () => {
  await using twin = await createPaytwin()
  const customer = await twin.post('/v1/customers', { email: 'ada@example.com', name: undefined })
  expectTypeOf(customer).toEqualTypeOf<Customer>()
  const card = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer: customer.id })
  expectTypeOf(card).toEqualTypeOf<PaymentMethod>()
  const price = await twin.post('/v1/prices', {
    unit_amount: 2000,
    currency: 'usd',
    recurring: { interval: 'month' },
  })
  expectTypeOf(price).toEqualTypeOf<Price>()
  const { id } = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: card.id,
    items: [{ price: price.id, metadata: { seats: 2 } }],
  })
  const subscription = await twin.get(`/v1/subscriptions/${id}`)
  expectTypeOf(subscription).toEqualTypeOf<Subscription>()
  expectTypeOf(await twin.get('/v1/subscriptions?limit=3')).toEqualTypeOf<List<Subscription>>()
  expectTypeOf(await twin.get(`/v1/customers/${customer.id}/payment_methods`)).toEqualTypeOf<
    List<PaymentMethod>
  >()
  expectTypeOf(await twin.post(`/v1/invoices/${subscription.latest_invoice}/void`).catch(() => 'paid'))
    .extract<string>()
    .toEqualTypeOf<string>()
  expectTypeOf(await twin.post('/v1/test_helpers/clock/advance', { by: '1mo' })).toEqualTypeOf<Clock>()
  await twin.delete(`/v1/subscriptions/${id}`, { cancel_at_period_end: true })
  expectTypeOf(await twin.delete(`/v1/customers/${customer.id}`)).toEqualTypeOf<DeletedCustomer>()
})

test('wrong parameters are errors of the compiler, and of the API', async () => {
  await using twin = await createPaytwin()
  // @ts-expect-error a misspelt name
  await expect(twin.post('/v1/customers', { emial: 'ada@example.com' })).rejects.toThrow(RequestRefused)
  // @ts-expect-error a wrong type
  await expect(twin.post('/v1/customers', { name: 5 })).rejects.toThrow(RequestRefused)
  // @ts-expect-error a missing parameter
  await expect(twin.post('/v1/products', { active: true })).rejects.toThrow(RequestRefused)
  // @ts-expect-error no parameters at all
  await expect(twin.post('/v1/products')).rejects.toThrow(RequestRefused)
  // @ts-expect-error a value that the route does not have
  await expect(twin.post('/v1/prices', { unit_amount: 1, currency: 'usd', type: 'tiered' })).rejects.toThrow()
  // @ts-expect-error a parameter of a route without parameters
  await expect(twin.post('/v1/invoices/in_1/void', { force: true })).rejects.toThrow(RequestRefused)
})

test('a type argument allows any path and parameters', async () => {
  await using twin = await createPaytwin()
  await expect(twin.post<unknown>('/v1/customers', { name: 5 })).rejects.toThrow(RequestRefused)
  await expect(twin.delete<unknown>('/v1/nothing', { zebra: 1 })).rejects.toThrow(RequestRefused)
  expectTypeOf(await twin.post<{ id: string }>('/v1/customers', {})).toEqualTypeOf<{ id: string }>()
})

test('the response of a path that is not known at compile time is unknown', async () => {
  await using twin = await createPaytwin()
  const path: string = '/v1/customers'
  expectTypeOf(await twin.get(path)).toEqualTypeOf<unknown>()
  const annotated: Customer = await twin.post('/v1/customers', { name: 'Ada' })
  // @ts-expect-error the type of a variable allows no other parameters
  const misspelt: Promise<Customer> = twin.post('/v1/customers', { emial: 'ada@example.com' })
  await expect(misspelt).rejects.toThrow(RequestRefused)
  expect(annotated.name).toBe('Ada')
})
