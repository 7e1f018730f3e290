import { describe, expect, test } from 'vitest'
import { badState, invalid, missing, type Refusal, rows, unknown } from '../http/support.ts'
import { table } from '../table.ts'
import { type Body, makeCustomer, makePrice } from '../twin.ts'
import { begin, type Story } from './subscription-story.ts'
import { amountTooLarge, NOW, PERIOD_END, refuses, unsupported } from './support.ts'

const pathOf = ({ subscription }: Story, action = '') => `/v1/subscriptions/${subscription.id}${action}`
const refused = (story: Story, body: Body, refusal: Refusal) =>
  refuses(story.twin, ['POST', pathOf(story), body], refusal)

describe('an update is refused', () => {
  test('for an invalid parameter', async () => {
    const story = await begin('active')
    const [{ id }] = story.subscription.items.data
    for (const [[body, param]] of rows<[Body, string]>(
      [{ items: [] }, 'items'],
      [{ items: 'x' }, 'items'],
      [{ items: [{ id, quantity: -1 }] }, 'items[0][quantity]'],
      [{ items: [{ id, quantity: 1.5 }] }, 'items[0][quantity]'],
      [{ items: [{ id, deleted: 'yes' }] }, 'items[0][deleted]'],
      [{ items: [{ id, deleted: true }] }, 'items'],
      [
        {
          items: [
            { id, quantity: 2 },
            { id, quantity: 3 },
          ],
        },
        'items[1][id]',
      ],
      [{ proration_behavior: 'sometimes' }, 'proration_behavior'],
      [{ billing_cycle_anchor: 'later' }, 'billing_cycle_anchor'],
      [{ payment_behavior: 'sometimes' }, 'payment_behavior'],
      [{ cancel_at_period_end: 'true' }, 'cancel_at_period_end'],
      [{ cancel_at_period_end: null }, 'cancel_at_period_end'],
      [{ cancel_at: NOW }, 'cancel_at'],
      [{ cancel_at: NOW - 1 }, 'cancel_at'],
      [{ cancel_at: 'tomorrow' }, 'cancel_at'],
      [{ collection_method: 'by_pigeon' }, 'collection_method'],
      [{ days_until_due: 5 }, 'days_until_due'],
      [{ collection_method: 'send_invoice', days_until_due: -1 }, 'days_until_due'],
      [{ pause_collection: {} }, 'pause_collection[behavior]'],
      [{ pause_collection: { behavior: 'forever' } }, 'pause_collection[behavior]'],
      [{ pause_collection: { behavior: 'void', resumes_at: NOW } }, 'pause_collection[resumes_at]'],
      [{ pause_collection: 'void' }, 'pause_collection'],
      [{ trial_end: 'later' }, 'trial_end'],
      [{ metadata: 'x' }, 'metadata'],
      [{ description: 5 }, 'description'],
      [{ default_payment_method: 5 }, 'default_payment_method'],
    )) {
      const code =
        param === 'pause_collection[behavior]' && !body.pause_collection.behavior
          ? missing(param)
          : invalid(param)
      await refused(story, body, code)
    }
  })

  test('for an unknown reference', async () => {
    const story = await begin('active')
    for (const [[body, param]] of rows<[Body, string]>(
      [{ default_payment_method: 'pm_unknown' }, 'default_payment_method'],
      [{ items: [{ price: 'price_unknown' }] }, 'items[0][price]'],
      [{ items: [{ id: 'si_unknown', quantity: 2 }] }, 'items[0][id]'],
    )) {
      await refused(story, body, unknown(param))
    }
    await refuses(story.twin, ['POST', '/v1/subscriptions/sub_unknown', {}], unknown())
    await refuses(story.twin, ['POST', '/v1/subscriptions/sub_unknown/resume'], unknown())
    await refused(story, { items: [{ quantity: 2 }] }, missing('items[0][price]'))
  })

  test('for a reference that cannot be used', async () => {
    const story = await begin('active')
    const { twin, subscription } = story
    const [{ id, price }] = subscription.items.data
    const { method } = await makeCustomer(twin)
    await refused(story, { default_payment_method: method.id }, invalid('default_payment_method'))
    for (const params of [
      { currency: 'eur' },
      { active: false },
      { recurring: undefined },
      { recurring: { interval: 'year' } },
      { recurring: { interval: 'month', interval_count: 2 } },
    ]) {
      const odd = await makePrice(twin, params)
      await refused(story, { items: [{ id, quantity: 2 }, { price: odd.id }] }, invalid('items[1][price]'))
    }
    await refused(story, { items: [{ price: price.id }] }, invalid('items[0][price]'))
  })

  test('for more than twenty items, or too high a total', async () => {
    const story = await begin('active')
    const { twin, subscription } = story
    const prices = []
    for (let count = 0; count < 20; count += 1) prices.push({ price: (await makePrice(twin)).id })
    await refused(story, { items: prices }, invalid('items'))
    expect((await twin.post(pathOf(story), { items: prices.slice(0, 19) })).items.data).toHaveLength(20)
    const [{ id }] = subscription.items.data
    await refused(story, { items: [{ id, quantity: 50_000 }] }, amountTooLarge)
    await refused(story, { items: [{ id, quantity: Number.MAX_SAFE_INTEGER }] }, amountTooLarge)
  })

  test('for the price of an existing item, which the error names', async () => {
    const story = await begin('active')
    const { twin } = story
    const [first, second] = [await makePrice(twin), await makePrice(twin)]
    const { items } = await twin.post(pathOf(story), { items: [{ price: first.id }, { price: second.id }] })
    const [a, b, c] = items.data
    const change = [
      { id: c.id, quantity: 2 },
      { id: a.id, price: b.price.id },
    ]
    await refused(story, { items: change }, invalid('items[1][price]'))
    const { id: yearly } = await makePrice(twin, { recurring: { interval: 'year' } })
    await refused(
      story,
      {
        items: [
          { id: b.id, quantity: 2 },
          { id: a.id, price: yearly },
        ],
      },
      invalid('items[1][price]'),
    )
  })
})

describe('a method that cannot recur', () => {
  test.each(['pm_pix', 'pm_boleto'])('%s is refused by an update, whatever the subscription', async (id) => {
    for (const [status, given] of [
      ['active', {}],
      ['active', { collection_method: 'send_invoice' }],
      ['trialing', {}],
      ['past_due', {}],
      ['paused', {}],
    ] as const) {
      await refused(await begin(status, given), { default_payment_method: id }, unsupported)
    }
  })

  test.each(['pix', 'boleto', 'oxxo', 'konbini', 'promptpay', 'bank_transfer'])(
    'an attached %s is refused too',
    async (type) => {
      const story = await begin('active')
      const { customer } = story.subscription
      const { id } = await story.twin.post('/v1/payment_methods', { type })
      await story.twin.post(`/v1/payment_methods/${id}/attach`, { customer })
      await refused(story, { default_payment_method: id }, unsupported)
    },
  )

  test.each<[Body, Refusal]>([
    [{ items: [{ price: 'price_unknown' }] }, unknown('items[0][price]')],
    [{ items: [{ price: 'inactive' }] }, invalid('items[0][price]')],
    [{ cancel_at: NOW }, invalid('cancel_at')],
    [{ days_until_due: 5 }, invalid('days_until_due')],
  ])('is reported after malformed, unknown and unusable parameters: %j', async (body, refusal) => {
    const story = await begin('active')
    const { id: price } = await makePrice(story.twin, { active: false })
    const items = body.items?.[0].price === 'inactive' ? { items: [{ price }] } : {}
    await refused(story, { default_payment_method: 'pm_pix', ...body, ...items }, refusal)
  })
})

/** The allowed actions of each status; '-' is refused with invalid_state_transition, param status. */
const ALLOWED = table(
  [
    'status',
    'update',
    'cancel_at',
    'cancel_at_period_end',
    'pause',
    'trial_end',
    'resume',
    'delete',
    'delete_later',
  ],
  `
  active              yes  yes  yes  yes  -    -    yes  yes
  trialing            yes  yes  yes  yes  yes  -    yes  yes
  past_due            yes  yes  yes  yes  -    -    yes  yes
  unpaid              yes  yes  yes  yes  -    -    yes  yes
  incomplete          yes  -    -    -    -    -    yes  -
  paused              yes  -    -    -    -    402  yes  -
  canceled            -    -    -    -    -    -    -    -
  incomplete_expired  -    -    -    -    -    -    -    -
  `,
)
const DOING: Readonly<Record<string, readonly [string, string, Body?]>> = {
  update: ['POST', '', { default_payment_method: 'pm_card_visa' }],
  cancel_at: ['POST', '', { cancel_at: PERIOD_END * 2 }],
  cancel_at_period_end: ['POST', '', { cancel_at_period_end: true }],
  pause: ['POST', '', { pause_collection: { behavior: 'void' } }],
  trial_end: ['POST', '', { trial_end: NOW + 400 * 86_400 }],
  resume: ['POST', '/resume'],
  delete: ['DELETE', ''],
  delete_later: ['DELETE', '', { cancel_at_period_end: true }],
}

describe('actions that a status does not allow are refused', () => {
  const cells = ALLOWED.flatMap(({ status, ...cells }) =>
    Object.entries(cells).map(([doing, allowed]) => ({ status, doing, allowed })),
  )
  test.each(cells)('$status, $doing: $allowed', async ({ status, doing, allowed }) => {
    const story = await begin(status)
    const [method, action, body] = DOING[doing] ?? ['', '']
    const request = [method, pathOf(story, action), body] as const
    if (allowed === '-') await refuses(story.twin, request, badState())
    else expect((await story.twin.request(...request)).status).toBe(allowed === 'yes' ? 200 : Number(allowed))
  })

  test.each(['canceled', 'incomplete_expired'])(
    'but %s, description and metadata can still change',
    async (status) => {
      const story = await begin(status)
      const body = { description: 'over', metadata: { a: 'b' } }
      expect(await story.twin.post(pathOf(story), body)).toEqual({ ...story.subscription, ...body })
    },
  )

  test('an end of the trial that is not in the future, or too far, is refused', async () => {
    const story = await begin('trialing')
    for (const trial_end of [NOW, NOW - 1, NOW + 3 * 366 * 86_400]) {
      await refused(story, { trial_end }, invalid('trial_end'))
    }
  })

  test.each<[string, Body, Refusal]>([
    ['canceled', { default_payment_method: 'pm_unknown' }, unknown('default_payment_method')],
    ['canceled', { items: [{ price: 'price_unknown' }] }, unknown('items[0][price]')],
    ['canceled', { cancel_at: NOW }, invalid('cancel_at')],
    ['canceled', { default_payment_method: 'pm_pix' }, unsupported],
    ['paused', { cancel_at: NOW }, invalid('cancel_at')],
    [
      'paused',
      { pause_collection: { behavior: 'void', resumes_at: NOW } },
      invalid('pause_collection[resumes_at]'),
    ],
    ['active', { trial_end: NOW - 1 }, invalid('trial_end')],
  ])('after malformed, unknown and unusable parameters: %s, %j', async (status, body, refusal) => {
    await refused(await begin(status), body, refusal)
  })

  test.each([{ cancel_at_period_end: 'yes' }, { cancel_at_period_end: 1 }, { cancel_at_period_end: null }])(
    'DELETE with %j is no boolean',
    async (body) => {
      const story = await begin('active')
      await refuses(story.twin, ['DELETE', pathOf(story), body], invalid('cancel_at_period_end'))
    },
  )
})
