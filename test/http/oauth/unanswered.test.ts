import { expect, onTestFinished, test } from 'vitest'
import { appOfId } from '../../../src/engine/access/oauth-app.ts'
import { findAuthorization, makeAuthorization } from '../../../src/engine/access/oauth-authorization.ts'
import { UNANSWERED_KEPT } from '../../../src/store/oauth-expiry.ts'
import { startTwin } from '../../twin.ts'
import { ASKED, ask, makeApp, REDIRECT_URI } from './support.ts'

test('the newest requests of an app’s consent page are kept, and all that were answered or are of others', async () => {
  const twin = await startTwin()
  onTestFinished(() => twin.close())
  const { engine } = twin.sandbox
  const [app, other] = [await makeApp(twin), await makeApp(twin, { name: 'Other' })]
  const show = async ({ client_id }: { client_id?: string }) => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: client_id ?? '',
      redirect_uri: REDIRECT_URI,
      state: 's'.repeat(100),
    })
    const { status } = await twin.sandbox.app.request(`/v1/oauth/authorize?${query}`, {
      headers: { Host: 'localhost' },
    })
    expect(status).toBe(200)
  }
  const ids = () => engine.store.oauth.authorizations({ limit: 2 * UNANSWERED_KEPT }).map(({ id }) => id)
  const { id: approved } = await ask(twin, app)
  await twin.post(`/v1/oauth/authorizations/${approved}/approve`)
  const { id: ofMerchant } = await ask(twin, app)
  await show(other)
  const kept = ids()
  await show(app)
  const [oldest = ''] = ids()
  const known = appOfId(engine, app.client_id)
  if (!known) throw new Error('the app exists')
  const request = { ...ASKED, app: known }
  await engine.operatorCommand(() => {
    for (let count = 1; count < UNANSWERED_KEPT; count += 1)
      makeAuthorization(engine, request, { merchant: null, seal: null })
  })
  expect(findAuthorization(engine, oldest).status).toBe('pending')
  await show(app)
  expect(() => findAuthorization(engine, oldest)).toThrow('No such authorization')
  expect(ids()).toHaveLength(UNANSWERED_KEPT + kept.length)
  expect(ids()).toEqual(expect.arrayContaining([...kept, approved, ofMerchant]))
})
