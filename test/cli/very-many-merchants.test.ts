import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { findCustomer } from '../../src/cli/find-customer.ts'
import { resolveMerchant } from '../../src/cli/scope.ts'
import { Client } from '../../src/client/client.ts'
import { fakeServer, json } from '../client/server.ts'

const MERCHANTS = Array.from({ length: 100 }, (_, index) => ({ id: `mer_${index}`, name: `Shop ${index}` }))

test('a customer is looked for with a limited number of requests at the same time', async () => {
  let open = 0
  let most = 0
  const server = await fakeServer(async (request, response) => {
    open += 1
    most = Math.max(most, open)
    // The other requests of the group arrive first.
    await delay(20)
    open -= 1
    const data = request.url?.includes('/mer_42/') ? [{ id: 'cus_1' }] : []
    json(response, 200, { object: 'list', data, livemode: false })
  })
  onTestFinished(() => server.close())
  const client = new Client({ url: server.url, token: 'token' })
  const ids = MERCHANTS.map(({ id }) => id)
  expect(await findCustomer(client, ids, 'somebody@example.com')).toBe('cus_1')
  expect(server.requests).toHaveLength(MERCHANTS.length)
  expect(most).toBeGreaterThan(1)
  expect(most).toBeLessThanOrEqual(16)
})

test('the question which merchant is meant names some of them, and their number', async () => {
  const merchants = async () => ({ data: MERCHANTS })
  const named = MERCHANTS.slice(0, 10).map(({ id, name }) => `${id} ${name}`)
  await expect(resolveMerchant({ merchants } as unknown as Client, undefined)).rejects.toThrow(
    `There are 100 merchants (${named.join(', ')}, …): choose one with --merchant.`,
  )
})
