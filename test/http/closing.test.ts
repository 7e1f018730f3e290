import { expect, test } from 'vitest'
import { startTwin } from '../twin.ts'
import { makeApp, proofOf } from './oauth/support.ts'
import { asOperator, FORM } from './support.ts'

const INTERNAL_ERROR = { status: 500, body: { error: { code: 'internal_error' } } }

test('closing ends injected latencies, and their requests fail without writing', async () => {
  const reported: unknown[] = []
  const twin = await startTwin({ reportError: (error) => reported.push(error) })
  const app = await makeApp(twin)
  await asOperator(twin)('POST', 'faults', { kind: 'latency', ms: 600_000 })
  const token = { ...FORM, ...proofOf(app) }
  const requests = [
    twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'k' }),
    twin.request('GET', '/v1/customers'),
    twin.request('POST', '/v1/oauth/token', 'grant_type=authorization_code&code=x', token),
  ]
  await twin.close()
  const [write, read, stranger] = await Promise.all(requests)
  expect(write).toMatchObject(INTERNAL_ERROR)
  expect(read).toMatchObject(INTERNAL_ERROR)
  expect(stranger?.status).toBe(500)
  expect(reported).toEqual([])
})
