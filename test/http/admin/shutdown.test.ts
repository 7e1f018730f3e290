import { expect, test } from 'vitest'
import { startTwin } from '../../twin.ts'
import { asOperator, expectUnauthenticated } from '../support.ts'

test('the response names the daemon, and comes when its database is closed', async () => {
  const steps: string[] = []
  const twin = await startTwin({
    data: '/somewhere/.paytwin',
    url: () => 'http://127.0.0.1:4242',
    shutDown: async () => {
      steps.push('ending')
      await new Promise((resolve) => setImmediate(resolve))
      steps.push('ended')
    },
  })
  const { status, body } = await asOperator(twin)('POST', 'shutdown')
  steps.push('answered')
  expect(steps).toEqual(['ending', 'ended', 'answered'])
  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'shutdown',
    url: 'http://127.0.0.1:4242',
    pid: process.pid,
    data: '/somewhere/.paytwin',
    livemode: false,
  })
  await twin.close()
})

test('an end that fails is an error, and is reported', async () => {
  const reported: unknown[] = []
  const twin = await startTwin({
    shutDown: () => Promise.reject(new Error('the disk is full')),
    reportError: (error) => reported.push(error),
  })
  const { status, body } = await asOperator(twin)('POST', 'shutdown')
  expect(status).toBe(500)
  expect(body).toMatchObject({ error: { code: 'internal_error' }, livemode: false })
  expect(reported).toMatchObject([{ message: 'the disk is full' }])
  await twin.close()
})

test('requires the token', async () => {
  let isEnded = false
  const twin = await startTwin({
    shutDown: async () => {
      isEnded = true
    },
  })
  expectUnauthenticated(
    await asOperator(twin)('POST', 'shutdown', undefined, { Authorization: `Bearer ${twin.secretKey}` }),
    'Invalid admin token provided',
  )
  expect(isEnded).toBe(false)
  await twin.close()
})
