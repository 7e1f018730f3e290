import { afterAll, beforeAll, expect, test } from 'vitest'
import { leastProcessorTime } from '../processor-time.ts'
import { startTwin, type Twin } from '../twin.ts'
import { expectRefusal, expectRefused, invalid, postForm } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const many = <T>(count: number, value: T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))

test('the pairs of metadata are counted before their values are looked at', async () => {
  const metadata = many(51, [])
  const answer = await expectRefused(twin, ['POST', '/v1/customers', { metadata }], invalid('metadata'))
  expect(answer.body.error.message).toBe('Invalid value for metadata: expected at most 50 keys')
  const body = JSON.stringify({ metadata: many(90_000, []) })
  const without = JSON.stringify({ zebra: many(90_000, []) })
  const post = (text: string) => leastProcessorTime(() => twin.request('POST', '/v1/customers', text))
  expect(await post(body)).toBeLessThan(2 * (await post(without)) + 50)
})

test('a name that nests too deep is refused, however deep', async () => {
  for (const depth of [16, 500_000]) {
    const answer = await postForm(twin, '/v1/customers', `a${'[]'.repeat(depth)}=1`)
    expectRefusal(answer, invalid(null))
    expect(answer.body.error.message).toBe('Parameters can be nested at most 16 levels deep')
  }
})
