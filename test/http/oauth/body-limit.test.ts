import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_BODY_BYTES } from '../../../src/http/request.ts'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { FORM, toForm } from '../support.ts'
import { makeApp, proofOf } from './support.ts'

let twin: Twin
let app: Body
beforeAll(async () => {
  twin = await startTwin()
  app = await makeApp(twin)
})
afterAll(() => twin.close())

const BROWSER = { Host: 'localhost:4242', Origin: 'http://localhost:4242' }
const TOO_LARGE = `The body is larger than ${MAX_BODY_BYTES} bytes`

/** Fills a form with an unknown parameter, up to a size. */
const filled = (form: Body, bytes: number): string => {
  const start = `${toForm(form)}&zebra=`
  return start + 'x'.repeat(bytes - start.length)
}

async function post(path: string, body: string): Promise<{ status: number; text: string }> {
  const isPage = path.endsWith('decision')
  const headers = { ...FORM, ...(isPage ? BROWSER : proofOf(app)) }
  const response = await twin.sandbox.app.request(path, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text() }
}

test('the limit is that of all bodies on /v1', () => {
  expect(MAX_BODY_BYTES).toBe(1_048_576)
})

test.each([
  ['/v1/oauth/revoke', { token: 'unknown' }, 200, 'livemode'],
  ['/v1/oauth/token', { grant_type: 'refresh_token', refresh_token: 'unknown' }, 400, 'invalid_grant'],
  ['/v1/oauth/authorize/decision', { nonce: 'unknown', decision: 'deny' }, 400, 'not shown to this browser'],
])('%s accepts bodies of up to 1 MiB', async (path, form, status, text) => {
  const largest = await post(path, filled(form, MAX_BODY_BYTES))
  expect([largest.status, largest.text]).toEqual([status, expect.stringContaining(text)])
  const larger = await post(path, filled(form, MAX_BODY_BYTES + 1))
  expect([larger.status, larger.text]).toEqual([400, expect.stringContaining(TOO_LARGE)])
})
