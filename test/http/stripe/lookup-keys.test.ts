import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { asOperator } from '../support.ts'
import { type StripeTwin, startStripe } from './sdk.ts'

const KEY = 'pro'
/** The maximum number of prices from which a key is taken in one step. */
const MAX_TRANSFERS = 100

let sdk: StripeTwin
beforeEach(async () => {
  sdk = await startStripe()
  onTestFinished(sdk.close)
})

const priceOf = (ref: string, lookup_key: string | null = KEY) => ({
  ref,
  lookup_key,
  currency: 'usd',
  unit_amount: 100,
})

/** Loads prices as fixtures. @returns the created objects, or the error */
async function load(...prices: ReturnType<typeof priceOf>[]) {
  const files = [{ name: 'a.json', content: { prices } }]
  const { body } = await asOperator(sdk.twin)('POST', 'fixtures', { files })
  return body.error ?? body.made
}

const holders = async (lookup_key = KEY): Promise<string[]> =>
  (await sdk.stripe.prices.list({ lookup_keys: [lookup_key] })).data.map(({ id }) => id)

describe('a lookup key belongs to one price', () => {
  test('of the fixtures that are loaded together', async () => {
    expect(await load(priceOf('first'), priceOf('second'))).toMatchObject({
      code: 'parameter_invalid',
      param: 'prices[1].lookup_key',
      message: expect.stringContaining("The price 'first' has the lookup key 'pro'"),
    })
    expect(await holders()).toEqual([])
    expect(await load(priceOf('first', null), priceOf('second', null))).toHaveLength(2)
  })

  test('of the newest fixtures, also after a further load', async () => {
    await load(priceOf('first'))
    const [{ id }] = await load(priceOf('first'))
    expect(await holders()).toEqual([id])
  })

  test('of those that the operator writes', async () => {
    const post = (path: string, params: object) =>
      asOperator(sdk.twin)('POST', `merchants/${sdk.twin.sandbox.merchant.settings.id}/v1/${path}`, params)
    const params = { currency: 'usd', unit_amount: 100 }
    const first = await post('prices', { ...params, lookup_key: KEY })
    const second = await post('prices', params)
    const refused = { status: 400, body: { error: { param: 'lookup_key' } } }
    expect(await post('prices', { ...params, lookup_key: KEY })).toMatchObject(refused)
    expect(await post(`prices/${second.body.id}`, { lookup_key: KEY })).toMatchObject(refused)
    expect(await holders()).toEqual([first.body.id])
  })
})

describe('a lookup key that several prices have in the data of an older version', () => {
  /** Creates prices that have one key. */
  async function makeHolders(count: number): Promise<void> {
    await load(...Array.from({ length: count }, (_, n) => priceOf(`price-${n}`, `key-${n}`)))
    sdk.twin.sandbox.engine.store.statements
      .once({ compile: (db) => sql`update price set lookup_key = ${sql.lit(KEY)}`.compile(db) })
      .run({})
  }
  const { product_data, ...params } = {
    ...{ currency: 'usd', unit_amount: 100, product_data: { name: 'Pro' } },
    ...{ lookup_key: KEY, transfer_lookup_key: true },
  }

  test('moves to a new price', async () => {
    await makeHolders(MAX_TRANSFERS)
    const { id } = await sdk.stripe.prices.create({ ...params, product_data })
    expect(await holders()).toEqual([id])
  })

  test('moves to one of them', async () => {
    await makeHolders(MAX_TRANSFERS + 1)
    const [newest, id = ''] = await holders()
    expect(newest).not.toBe(id)
    await sdk.stripe.prices.update(id, { lookup_key: KEY, transfer_lookup_key: true })
    expect(await holders()).toEqual([id])
  })

  test('does not move if very many have it', async () => {
    await makeHolders(MAX_TRANSFERS + 1)
    const refused = { param: 'lookup_key', message: expect.stringContaining('More than 100 prices have') }
    await expect(sdk.stripe.prices.create({ ...params, product_data })).rejects.toMatchObject(refused)
    const [newest = ''] = await holders()
    expect((await sdk.stripe.prices.update(newest, { lookup_key: '' })).lookup_key).toBe(null)
    const { id } = await sdk.stripe.prices.create({ ...params, product_data })
    expect(await holders()).toEqual([id])
  })
})
