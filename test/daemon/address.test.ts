import Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { pagesUrl } from '../../src/daemon/address.ts'
import { send, startListening } from '../http/raw-socket.ts'

test.each([
  ['127.0.0.1', null, 'http://127.0.0.1:4242'],
  ['192.168.1.5', null, 'http://192.168.1.5:4242'],
  ['::1', null, 'http://[::1]:4242'],
  ['0.0.0.0', null, 'http://localhost:4242'],
  ['::', null, 'http://localhost:4242'],
  ['0.0.0.0', 'https://pay.example', 'https://pay.example'],
])('the pages of a daemon on %s with the public URL %s are at %s', (host, publicUrl, url) => {
  expect(pagesUrl({ host, publicUrl }, 4242)).toBe(url)
})

test('links to pages have the public URL, whose name is an allowed host', async () => {
  const daemon = await startListening({ publicUrl: 'https://pay.example', dialect: 'stripe' })
  onTestFinished(() => daemon.close())
  expect(daemon.dashboard).toMatch(/^https:\/\/pay\.example\/dashboard\/open\?code=/)
  const { hostname, port } = new URL(daemon.url)
  expect(hostname).toBe('127.0.0.1')
  const stripe = new Stripe(daemon.secretKey ?? '', { host: hostname, port, protocol: 'http' })
  const { id: customer } = await stripe.customers.create()
  const { url: portal } = await stripe.billingPortal.sessions.create({ customer })
  const success_url = 'https://shop.example'
  const checkout = await stripe.checkout.sessions.create({ mode: 'setup', currency: 'usd', success_url })
  for (const url of [portal, checkout.url ?? '']) {
    expect(new URL(url).origin).toBe('https://pay.example')
    const path = new URL(url).pathname
    for (const [host, status] of [
      ['pay.example', 200],
      ['other.example', 400],
    ] as const)
      expect(
        (await send(daemon, `GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', '', '')).status,
      ).toBe(status)
  }
})
