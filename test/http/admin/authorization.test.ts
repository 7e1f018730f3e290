import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { ask, exchange, letIn, makeApp, paramsOf, REDIRECT_URI } from '../oauth/support.ts'
import {
  anotherMerchant,
  asOperator,
  badState,
  expectRefusal,
  idsOf,
  invalid,
  missing,
  unknown,
} from '../support.ts'

let twin: Twin
let app: Body
let wall: number
let merchant: string
beforeEach(async () => {
  wall = 1_700_000_000_000
  twin = await startTwin({ wall: () => wall })
  app = await makeApp(twin)
  merchant = twin.sandbox.merchant.settings.id
})
afterEach(() => twin.close())

const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const listed = async (query = ''): Promise<Body[]> =>
  (await operator('GET', `authorizations${query}`)).body.data

/** Requests an authorization on the consent page, without a merchant. @returns its id */
async function askOnPage(): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: REDIRECT_URI,
    state: 'xyz',
  })
  await twin.sandbox.app.request(`/v1/oauth/authorize?${query}`, { headers: { Host: 'localhost' } })
  return (await listed())[0]?.id
}

describe('the list of authorizations', () => {
  test('shows the requests and decisions, newest first', async () => {
    const denied = await ask(twin, app)
    await twin.post(`/v1/oauth/authorizations/${denied.id}/deny`)
    await letIn(twin, app, { scope: 'read_write' })
    const pending = await ask(twin, app)
    const onPage = await askOnPage()
    const all = await listed()
    expect(all.map(({ status, merchant_id, scope }) => [status, merchant_id, scope])).toEqual([
      ['pending', null, 'read_only'],
      ['pending', merchant, 'read_only'],
      ['approved', merchant, 'read_write'],
      ['denied', merchant, 'read_only'],
    ])
    expect(all[1]).toEqual(pending)
    expect(all[0]?.id).toBe(onPage)
    wall += 600_000
    expect((await listed()).map(({ status }) => status)).toEqual(['expired', 'expired', 'approved', 'denied'])
  })

  test('shows the time of revocation', async () => {
    const code =
      paramsOf((await twin.post(`/v1/oauth/authorizations/${(await ask(twin, app)).id}/approve`)).redirect_to)
        .code ?? ''
    await exchange(twin, app, code)
    wall += 5_000
    await exchange(twin, app, code)
    wall += 5_000
    await exchange(twin, app, code)
    expect((await listed())[0]).toMatchObject({ status: 'approved', revoked: 1_700_000_005 })
  })

  test('is paginated', async () => {
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.unshift((await ask(twin, app)).id)
    const { body } = await operator('GET', 'authorizations?limit=2')
    expect([idsOf(body.data), body.has_more]).toEqual([ids.slice(0, 2), true])
    expect(idsOf(await listed(`?starting_after=${ids[1]}`))).toEqual([ids[2]])
    expect(idsOf(await listed(`?ending_before=${ids[2]}&limit=1`))).toEqual([ids[1]])
    expect(idsOf(await listed(`?ending_before=${ids[2]}`))).toEqual(ids.slice(0, 2))
    expectRefusal(await operator('GET', 'authorizations?starting_after=oauthz_x'), unknown('starting_after'))
  })
})

describe('the operator', () => {
  test.each(['approve', 'deny'])('can %s for the merchant that was asked', async (decision) => {
    const { id } = await ask(twin, app, { state: 'xyz' })
    const { status, body } = await operator('POST', `authorizations/${id}/${decision}`)
    expect(status).toBe(200)
    const isApproved = decision === 'approve'
    expect(body.status).toBe(isApproved ? 'approved' : 'denied')
    expect(paramsOf(body.redirect_to)).toEqual({
      ...(isApproved ? { code: expect.stringMatching(/^oac_test_/) } : { error: 'access_denied' }),
      state: 'xyz',
    })
  })

  test('can approve an authorization of the consent page for the only merchant', async () => {
    const id = await askOnPage()
    const { body } = await operator('POST', `authorizations/${id}/approve`)
    const { body: tokens } = await exchange(twin, app, paramsOf(body.redirect_to).code ?? '')
    expect(tokens.merchant_id).toBe(merchant)
    expect((await listed())[0]).toMatchObject({ status: 'approved', merchant_id: merchant })
  })

  test('requires the merchant if there are several, but not to deny', async () => {
    const { merchant: other } = await anotherMerchant(twin)
    const id = await askOnPage()
    expectRefusal(await operator('POST', `authorizations/${id}/approve`), missing('merchant'))
    expectRefusal(
      await operator('POST', `authorizations/${id}/approve`, { merchant: 'mer_unknown' }),
      unknown('merchant'),
    )
    expect((await operator('POST', `authorizations/${id}/approve`, { merchant: other.id })).status).toBe(200)
    expect((await operator('POST', `authorizations/${await askOnPage()}/deny`)).body.status).toBe('denied')
    expect((await listed()).map(({ merchant_id }) => merchant_id)).toEqual([null, other.id])
  })

  test('cannot decide for a merchant other than that of the authorization', async () => {
    const { merchant: other } = await anotherMerchant(twin)
    const { id } = await ask(twin, app)
    for (const decision of ['approve', 'deny']) {
      const response = await operator('POST', `authorizations/${id}/${decision}`, { merchant: other.id })
      expectRefusal(response, invalid('merchant'))
    }
    expect((await listed())[0]?.status).toBe('pending')
    expect((await operator('POST', `authorizations/${id}/approve`, { merchant })).status).toBe(200)
  })

  test('can be made once, before expiry, for an existing merchant', async () => {
    const { id } = await ask(twin, app)
    await operator('POST', `authorizations/${id}/approve`)
    expectRefusal(await operator('POST', `authorizations/${id}/deny`), badState())
    const late = await askOnPage()
    wall += 600_000
    for (const decision of ['approve', 'deny']) {
      expectRefusal(await operator('POST', `authorizations/${late}/${decision}`), badState())
      expectRefusal(await operator('POST', `authorizations/oauthz_x/${decision}`), unknown())
    }
  })
})
