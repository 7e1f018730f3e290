import { afterAll, beforeAll, expect, test } from 'vitest'
import { paytwin, type RunningDaemon, startDaemon } from '../executable.ts'

let daemon: RunningDaemon
beforeAll(async () => {
  daemon = await startDaemon(['--ephemeral', '--dialect', 'stripe'])
})
afterAll(() => daemon.stop())

const env = async (...args: string[]) => {
  const { status, stdout, stderr } = await paytwin(['stripe', 'env', ...args], { env: daemon.env })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

test('the settings of each language are printed, or those of one', async () => {
  const { url } = daemon
  const all = await env()
  for (const language of ['shell', 'node', 'python', 'ruby', 'php', 'go']) {
    expect(all).toContain(`# ${language}\n${await env(language)}`)
  }
  expect(await env('python')).toBe(`stripe.api_base = "${url}"\n`)
  expect(await env('ruby')).toBe(`Stripe.api_base = "${url}"\n`)
  expect(await env('php')).toBe(`\\Stripe\\Stripe::$apiBase = '${url}';\n`)
  expect(await env('go')).toContain(`URL: stripe.String("${url}")`)
  expect(await env('node')).toContain(`{ host: '127.0.0.1', port: ${new URL(url).port}, protocol: 'http' }`)
  expect(await env('shell')).toMatch(
    /^export PAYTWIN_URL=http\S+\nexport STRIPE_API_BASE=http\S+\nexport STRIPE_WEBHOOK_SECRET=whsec_/,
  )
})

test('the JSON has the variables and the settings', async () => {
  const { variables, settings } = JSON.parse(await env('--json'))
  expect(variables).toMatchObject({
    STRIPE_API_BASE: daemon.url,
    STRIPE_WEBHOOK_SECRET: expect.stringMatching(/^whsec_/),
    NODE_OPTIONS: expect.stringMatching(/^--require=\/.*stripe-preload\.cjs$/),
  })
  expect(settings.ruby).toEqual([`Stripe.api_base = "${daemon.url}"`])
})
