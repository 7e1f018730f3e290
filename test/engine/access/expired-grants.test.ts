import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { deleteExpiredGrants } from '../../../src/engine/access/expired-grants.ts'
import type { MerchantState } from '../../../src/engine/machine/merchant-state.ts'
import { letIn, makeApp, tokensOf } from '../../http/oauth/support.ts'
import { asOperator } from '../../http/support.ts'
import { startTwin, type Twin } from '../../twin.ts'

const DAY = 86_400
const MERCHANTS = 30
/** How many rows a step changes at most: tokens, and the authorizations that they leave without any. */
const MOST_ROWS = 200

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
  await letIn(twin, await makeApp(twin))
  for (let n = 1; n < MERCHANTS; n += 1) await asOperator(twin)('POST', 'merchants', { name: `M${n}` })
})
afterEach(() => twin.close())

const merchants = (): MerchantState[] => [...twin.sandbox.engine.merchants.values()]

/** Gives a merchant tokens and codes that expire some days after its clock's time, each with an authorization of its own. */
async function give(
  merchant: MerchantState,
  { count, days }: { count: number; days: number },
): Promise<void> {
  const { engine } = twin.sandbox
  const { oauth } = engine.store
  const [authorization] = oauth.authorizations({ limit: 1_000 }).slice(-1)
  const [token] = authorization ? tokensOf({ engine }, authorization.seq) : []
  if (!authorization || !token) return expect.unreachable()
  const { ordinal, generation } = merchant.settings
  const owner = { merchant: ordinal, generation }
  const expires = merchant.clock.now + days * DAY
  await engine.operatorCommand(() => {
    for (let n = 0; n < count; n += 1) {
      const name = `${generation} ${days} ${n}`
      const own = { ...authorization, ...owner, nonce: null, cookie: null }
      const [redeemed, issued] = [Buffer.from(`redeemed ${name}`), Buffer.from(`issued ${name}`)]
      oauth.addAuthorization({ ...own, id: `oar_a${name}`, code: redeemed, code_expires: expires })
      const code = { code: issued, code_status: 'issued', code_expires: expires } as const
      oauth.addAuthorization({ ...own, id: `oar_b${name}`, ...code })
      const added = oauth.authorizationOfCode(redeemed)?.seq ?? 0
      oauth.addToken({ ...token, ...owner, hash: redeemed, authorization: added, expires })
    }
  })
}

const rows = (): number =>
  twin.sandbox.engine.store.statements
    .once<{ rows: number }>(
      sql`select (select count(*) from oauth_token) + (select count(*) from oauth_authorization) as rows`,
    )
    .get({})?.rows ?? Number.NaN

/** Deletes what has expired. @returns how many rows each step has deleted */
async function deletions(): Promise<number[]> {
  const deleted: number[] = []
  const steps = deleteExpiredGrants(twin.sandbox.engine)
  for (let isDone = false; !isDone; ) {
    const before = rows()
    await twin.sandbox.engine.operatorCommand(() => {
      isDone = steps.next().done ?? false
    })
    deleted.push(before - rows())
  }
  return deleted
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

test('a step deletes a limited number of rows, no matter how many merchants have some', async () => {
  for (const merchant of merchants()) await give(merchant, { count: 20, days: -31 })
  await give(merchants()[1] as MerchantState, { count: 250, days: -32 })
  const deleted = await deletions()
  expect(sum(deleted)).toBe(3 * (MERCHANTS * 20 + 250))
  expect(Math.max(...deleted)).toBeLessThanOrEqual(MOST_ROWS)
})

test('merchants without tokens and codes need no step', async () => {
  const [first, , third] = merchants()
  for (const merchant of [first, third] as MerchantState[]) await give(merchant, { count: 150, days: -31 })
  // For each merchant and kind: two deletions, and one move to the next merchant. The last step ends.
  expect((await deletions()).length).toBe(2 * 2 * 3 + 1)
})

test('what expired less than 30 days ago stays, on the clock of each merchant', async () => {
  const [first, second] = merchants() as [MerchantState, MerchantState]
  await give(first, { count: 5, days: -29 })
  await give(second, { count: 5, days: -29 })
  await asOperator(twin)('POST', 'clock/advance', { merchant: second.settings.id, by: '2d' })
  const kept = rows()
  expect(sum(await deletions())).toBe(3 * 5)
  expect(rows()).toBe(kept - 3 * 5)
})

test('goes on when a merchant that it has begun with is deleted', async () => {
  const [, second, third] = merchants() as [MerchantState, MerchantState, MerchantState]
  for (const merchant of [second, third]) await give(merchant, { count: 150, days: -31 })
  const { engine } = twin.sandbox
  const steps = deleteExpiredGrants(engine)
  await engine.operatorCommand(() => steps.next())
  await engine.operatorCommand(() => steps.next())
  expect((await asOperator(twin)('DELETE', `merchants/${second.settings.id}`)).status).toBe(200)
  await engine.operatorCommand(() => [...steps])
  const [ours] = engine.store.oauth.authorizations({ limit: 1_000 })
  expect(engine.store.oauth.authorizations({ limit: 1_000 })).toHaveLength(1)
  expect(tokensOf({ engine }, ours?.seq ?? 0)).toHaveLength(2)
})
