import { afterEach, expect, test, vi } from 'vitest'
import { digest } from '../../../src/engine/machine/digest.ts'
import { Statement } from '../../../src/store/statements.ts'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { asOperator, openStream } from '../support.ts'
import { asApp, codeFor, exchange, holding, letIn, makeApp } from './support.ts'

let twin: Twin
afterEach(() => twin.close())

/** How many tokens the first grant has. */
const COUNT = 300

/** Adds tokens to the grant of a token. */
async function addTokens({ refresh_token }: Body): Promise<void> {
  const { engine } = twin.sandbox
  const { oauth } = engine.store
  const token = oauth.token(digest(refresh_token))
  if (!token) return expect.unreachable()
  await engine.operatorCommand(() => {
    for (let n = 0; n < COUNT; n += 1)
      oauth.addToken({ ...token, hash: digest(`token ${n}`), kind: n % 2 === 0 ? 'access' : 'refresh' })
  })
}

/** Runs work. @returns the number of rows that its statements have returned */
async function rowsReadBy(work: () => Promise<unknown>): Promise<number> {
  const spy = vi.spyOn(Statement.prototype, 'all')
  await work()
  const rows = spy.mock.results.reduce((sum, { value }) => sum + value.length, 0)
  spy.mockRestore()
  return rows
}

type World = { readonly app: Body; readonly code: string; readonly first: Body }
type Reader = 'first' | 'second' | 'other' | 'key'

test.each<{ name: string; act: (world: World) => Promise<unknown>; ended: readonly Reader[]; resets?: true }>(
  [
    {
      name: 'revoking an access token',
      act: ({ app, first }) => asApp(twin, app, 'revoke', { token: first.access_token }),
      ended: ['first'],
    },
    {
      name: 'revoking a grant',
      act: ({ app, first }) => asApp(twin, app, 'revoke', { token: first.refresh_token }),
      ended: ['first'],
    },
    {
      name: 'using a code twice',
      act: ({ app, code }) => exchange(twin, app, code),
      ended: ['first'],
    },
    {
      name: 'deleting an app',
      act: ({ app }) => asOperator(twin)('DELETE', `apps/${app.id}`),
      ended: ['first', 'second'],
    },
    {
      name: 'a reset',
      act: () => asOperator(twin)('POST', 'reset'),
      ended: ['first', 'second', 'other'],
      resets: true,
    },
  ],
)(
  '$name reads none of many tokens, and ends only the streams of its tokens',
  async ({ act, ended, resets }) => {
    twin = await startTwin()
    const [app, otherApp] = [await makeApp(twin), await makeApp(twin, { name: 'Other' })]
    const code = await codeFor(twin, app)
    const { body: first } = await exchange(twin, app, code)
    const [second, other] = [await letIn(twin, app), await letIn(twin, otherApp)]
    await addTokens(first)
    const readers: Record<Reader, Twin> = {
      first: holding(twin, first.access_token),
      second: holding(twin, second.access_token),
      other: holding(twin, other.access_token),
      key: twin,
    }
    const streams = await Promise.all(Object.values(readers).map((reader) => openStream(reader)))
    expect(await rowsReadBy(() => act({ app, code, first }))).toBeLessThan(COUNT / 2)
    await twin.post('/v1/customers')
    // After a reset the first message of each stream is that.
    const read = await Promise.allSettled(streams.map((stream) => stream.take(resets ? 2 : 1)))
    const closed = Object.keys(readers).filter((_, index) => read[index]?.status === 'rejected')
    expect(closed).toEqual(ended)
    await Promise.all(streams.map((stream) => stream.close()))
  },
)
