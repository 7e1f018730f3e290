import { expect, test } from 'vitest'
import { startTwin } from '../../twin.ts'
import { asOperator } from '../support.ts'

test('a response of the admin API that would be too long is refused', async () => {
  const twin = await startTwin()
  const redirect_uris = JSON.stringify(['x'.repeat(2 ** 20)])
  const { engine } = twin.sandbox
  await engine.operatorCommand(() => {
    for (let index = 0; index < 33; index += 1)
      engine.store.oauth.addApp({
        id: `app_${index}`,
        name: 'App',
        redirect_uris,
        secret: Buffer.from('x'),
        created: 0,
      })
  })
  const { status, body } = await asOperator(twin)('GET', 'apps')
  expect([status, body.error.message]).toEqual([400, 'The response would have more than 32 MiB'])
  await twin.close()
})
