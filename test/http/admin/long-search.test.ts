import { expect, onTestFinished, test } from 'vitest'
import { aCustomer } from '../../core/objects.ts'
import { startTwin } from '../../twin.ts'
import { asOperator } from '../support.ts'

/** Enough for a search of several turns. */
const CUSTOMERS = 50_000

test('a search that reads all customers lets other requests run', async () => {
  const twin = await startTwin()
  onTestFinished(() => twin.close())
  const { engine, merchant } = twin.sandbox
  const { ordinal } = merchant.settings
  engine.store.transaction(() => {
    for (let n = 0; n < CUSTOMERS; n += 1) {
      const [id, name] = [`cus_${n}`, n === 0 ? 'Rare Common' : 'Common']
      engine.store.objects.insert('customer', ordinal, aCustomer({ id, name }))
    }
  })
  const ended: string[] = []
  const search = asOperator(twin)('GET', 'search?kind=customer&query=com%20omm%20mmo%20mon%20rare').then(
    ({ body }) => {
      ended.push('search')
      return body
    },
  )
  await twin.get('/v1/customers?limit=1').then(() => ended.push('list'))
  expect((await search).data).toMatchObject([{ name: 'Rare Common' }])
  expect(ended).toEqual(['list', 'search'])
})
