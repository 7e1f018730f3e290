import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { expectRefused, invalid, unknown } from './support.ts'

let twin: Twin
let customer: Body
let method: Body
let price: Body
beforeAll(async () => {
  twin = await startTwin()
  const made = await makeCustomer(twin)
  customer = made.customer
  method = made.method
  price = await makePrice(twin)
})
afterAll(() => twin.close())

const script = (body: unknown, id = method.id) =>
  twin.request('POST', `/v1/test_helpers/payment_methods/${id}/outcomes`, body)

const subscribe = (more: Body = {}) =>
  twin.request('POST', '/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
    payment_behavior: 'error_if_incomplete',
    ...more,
  })

/** Returns the outcomes of a number of charges: a status and, if declined, code and decline_code. */
async function attempts(count: number): Promise<unknown[]> {
  const said: unknown[] = []
  for (let n = 0; n < count; n += 1) {
    const { status, body } = await subscribe()
    said.push(status === 201 ? 'succeed' : `${body.error.code}/${body.error.decline_code}`)
  }
  return said
}

describe('a scripted card', () => {
  test('follows the script for each charge, then `then`', async () => {
    const outcomes = ['succeed', 'decline:insufficient_funds', 'decline:expired_card', 'succeed']
    // biome-ignore lint/suspicious/noThenProperty: the parameter's name
    const response = await script({ outcomes, then: 'decline:lost_card' })
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ id: method.id, object: 'payment_method' })
    expect(JSON.stringify(response.body)).not.toContain('decline')
    expect(await attempts(6)).toEqual([
      'succeed',
      'card_declined/insufficient_funds',
      'expired_card/null',
      'succeed',
      'card_declined/lost_card',
      'card_declined/lost_card',
    ])
  })

  test('succeeds after its script by default', async () => {
    await script({ outcomes: ['decline:card_declined'] })
    expect(await attempts(3)).toEqual(['card_declined/generic_decline', 'succeed', 'succeed'])
  })

  test('replaces its former script', async () => {
    await script({ outcomes: ['decline:lost_card', 'decline:lost_card'] })
    await script({ outcomes: [] })
    expect(await attempts(2)).toEqual(['succeed', 'succeed'])
  })

  test.each([
    ['decline:card_declined', 'card_declined/generic_decline'],
    ['decline:expired_card', 'expired_card/null'],
    ['decline:incorrect_cvc', 'incorrect_cvc/null'],
    ['decline:processing_error', 'processing_error/null'],
    ['decline:generic_decline', 'card_declined/generic_decline'],
    ['decline:do_not_honor', 'card_declined/do_not_honor'],
    [`decline:${'a'.repeat(50)}`, `card_declined/${'a'.repeat(50)}`],
  ])('declines with %s as %s', async (outcome, said) => {
    await script({ outcomes: [outcome] })
    expect(await attempts(1)).toEqual([said])
  })

  test.each([
    'decline',
    'decline:',
    'decline:Lost_Card',
    'decline:lost card',
    'decline:card-declined',
    'decline:4242',
    `decline:${'a'.repeat(51)}`,
    'fail',
    'SUCCEED',
    'succeed ',
    '',
    'decline:lost_card\n',
  ])('refuses %j', async (outcome) => {
    const path = `/v1/test_helpers/payment_methods/${method.id}/outcomes`
    const body = { outcomes: ['succeed', outcome] }
    await expectRefused(twin, ['POST', path, body], invalid('outcomes[1]'))
    // biome-ignore lint/suspicious/noThenProperty: the parameter's name
    await expectRefused(twin, ['POST', path, { outcomes: [], then: outcome }], invalid('then'))
  })

  test('must exist, and be a card', async () => {
    const pix = await twin.post('/v1/payment_methods', { type: 'pix' })
    const path = (id: string) => `/v1/test_helpers/payment_methods/${id}/outcomes`
    await expectRefused(twin, ['POST', path('pm_unknown'), { outcomes: [] }], unknown())
    await expectRefused(twin, ['POST', path('pm_card_visa'), { outcomes: [] }], unknown())
    await expectRefused(twin, ['POST', path(pix.id), { outcomes: [] }], invalid('id'))
  })
})
