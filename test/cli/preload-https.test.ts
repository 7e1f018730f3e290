import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { preloadedWith } from './preloaded.ts'

/** Responds with the credentials of a request. */
const server = createServer(({ headers }, response) => response.end(headers.authorization))
const env = preloadedWith(server)

/** Evaluates an expression with the preload, and returns the text that it resolves to. */
const evaluate = async (expression: string): Promise<string> => {
  const program = `
    const https = require('node:https')
    const { text } = require('node:stream/consumers')
    const get = (...given) => new Promise((done, fail) => https.get(...given, (response) => done(text(response))).on('error', fail))
    Promise.resolve(${expression}).then(console.log, (error) => console.log(error.message))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', program], { env: env() })
  return stdout.trimEnd()
}

const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString('base64')}`

test.each([
  [
    'the option auth',
    `get({ host: 'api.stripe.com', path: '/v1/x', auth: 'sk_test_1:' })`,
    basic('sk_test_1:'),
  ],
  ['a URL and the option', `get('https://api.stripe.com/', { auth: 'sk_test_1:' })`, basic('sk_test_1:')],
  ['a URL with a key', `get('https://sk_test_1@api.stripe.com/v1/x')`, basic('sk_test_1:')],
  ['a URL object', `get(new URL('https://sk_test_1:@api.stripe.com/'))`, basic('sk_test_1:')],
  [
    'a header, which precedes the option',
    `get({ host: 'api.stripe.com', auth: 'a:b', headers: { Authorization: 'Bearer sk_test_1' } })`,
    'Bearer sk_test_1',
  ],
])('a request with credentials in %s is sent with them', async (_, expression, sent) => {
  expect(await evaluate(expression)).toBe(sent)
})

test('fetch refuses a URL with credentials as Node does', async () => {
  const refused = await evaluate(
    `fetch('https://sk_test_1@api.stripe.com/').then((response) => response.text())`,
  )
  expect(refused).toMatch(/includes credentials/)
})
