import { beforeAll, expect, test } from 'vitest'
import { type List, withDaemon } from '../command-line.ts'
import { api, subscribe } from '../executable.ts'

type Event = { id: string; type: string; data: { object: { id: string; subscription?: string } } }

const { daemon, json, fail } = withDaemon()
let one: { customer: string; subscription: string }
beforeAll(async () => {
  one = await subscribe(daemon())
  await api(daemon(), '/v1/customers', { email: 'grace@example.com' })
})
const types = async (...args: string[]) =>
  (await json<List<Event>>('events', 'list', ...args)).data.map(({ type }) => type)

test('events list shows the events of a subscription or a customer, and of its related objects', async () => {
  const ofSubscription = await types('--subscription', one.subscription, '-n', '100')
  expect(ofSubscription).toEqual(
    expect.arrayContaining(['subscription.created', 'invoice.paid', 'charge.succeeded']),
  )
  expect(ofSubscription).not.toContain('customer.created')
  const ofCustomer = await types('--customer', 'ada@example.com', '-n', '100')
  expect(ofCustomer).toEqual(
    expect.arrayContaining([...ofSubscription, 'customer.created', 'payment_method.attached']),
  )
  expect(await types('--customer', one.customer, '-n', '100')).toEqual(ofCustomer)
  const all = await types('-n', '100')
  expect(ofCustomer).toEqual(
    all
      .filter((type) => /^(customer|payment_method|subscription|invoice|charge|payment_intent)\./.test(type))
      .slice(1),
  )
  expect(await types('--customer', 'grace@example.com')).toEqual(['customer.created'])
})

test('events of a customer are also filtered by type and limited', async () => {
  const given = ['--customer', one.customer]
  expect(await types(...given, '--type', 'invoice.*')).toEqual([
    'invoice.paid',
    'invoice.finalized',
    'invoice.created',
  ])
  const page = await json<List<Event> & { has_more: boolean }>('events', 'list', ...given, '-n', '1')
  expect(page).toMatchObject({ object: 'list', has_more: true, data: [{ object: 'event' }] })
})

test.each([
  [['--customer', 'cus_x', '--subscription', 'sub_x']],
  [['--customer', 'cus_x', '--starting-after', 'evt_x']],
  [['--customer', 'cus_x', '-n', '101']],
])('%j is wrong usage: exit 2', async (args) => {
  expect((await fail('events', 'list', ...args)).status).toBe(2)
})

test('an unknown customer is refused: exit 1', async () => {
  expect(await fail('events', 'list', '--customer', 'cus_x')).toEqual({
    status: 1,
    stderr:
      "error: No such customer: 'cus_x' (resource_missing). List the existing ones with 'paytwin customers list'.\n",
  })
})
