import { afterEach, expect, test, vi } from 'vitest'
import { makeCustomer, startTwin } from '../twin.ts'
import { signIn, url } from './support.ts'

afterEach(() => vi.restoreAllMocks())

test('a page that reads several objects lets other requests run between its reads', async () => {
  const twin = await startTwin({ url })
  const browser = await signIn(twin)
  const { customer } = await makeCustomer(twin)
  const { app } = twin.sandbox
  let turn = 0
  let isCounting = true
  const count = () => {
    turn += 1
    if (isCounting) setImmediate(count)
  }
  setImmediate(count)
  const turns: number[] = []
  const { fetch } = app
  vi.spyOn(app, 'fetch').mockImplementation((request, ...others) => {
    if (new URL(request.url).pathname.startsWith('/_paytwin/')) turns.push(turn)
    return fetch(request, ...others)
  })
  expect((await browser.show(`/customers/${customer.id}`)).status).toBe(200)
  isCounting = false
  expect(turns.length).toBeGreaterThan(5)
  expect(new Set(turns).size).toBe(turns.length)
  await twin.close()
})
