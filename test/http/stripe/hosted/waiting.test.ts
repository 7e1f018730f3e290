import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { HeldBodies } from '../../../../src/http/held-bodies.ts'
import { NOBODY } from '../../../../src/http/held-body.ts'
import { runCommand } from '../../../../src/http/stripe/hosted/serve.ts'
import { idOf, type StripeTwin, startStripe } from '../sdk.ts'

let sdk: StripeTwin
let address: string
beforeAll(async () => {
  sdk = await startStripe()
  const { stripe } = sdk
  const customer = idOf(await stripe.customers.create({ name: 'Ada' }))
  const { url } = await stripe.billingPortal.sessions.create({ customer, return_url: 'https://shop.example' })
  address = url
})
afterAll(() => sdk.close())

beforeEach(() => {
  vi.restoreAllMocks()
})

/** Opens a page. @returns the status */
async function open(url: string): Promise<number> {
  const response = await sdk.twin.sandbox.app.request(url, { headers: { host: new URL(url).host } })
  return response.status
}

/** Records what counts, and the commands that run. */
function watch() {
  const { engine } = sdk.twin.sandbox
  return {
    added: vi.spyOn(HeldBodies.prototype, 'add'),
    removed: vi.spyOn(HeldBodies.prototype, 'remove'),
    commands: vi.spyOn(engine, 'command'),
  }
}

test('a page whose command may wait counts until it is answered', async () => {
  const { added, removed, commands } = watch()
  expect(await open(address)).toBe(200)
  expect(commands).toHaveBeenCalledOnce()
  expect(added.mock.calls).toEqual([[expect.anything(), 32_768]])
  expect(removed.mock.calls).toEqual(added.mock.calls)
})

test('a page has room when strangers and the merchant have used up theirs', async () => {
  const { added } = watch()
  await open(address)
  const bodies = added.mock.contexts[0] as HeldBodies
  const full = [NOBODY, sdk.twin.sandbox.merchant]
  for (const owner of full) bodies.add(owner, 2 ** 26)
  try {
    expect(await open(address)).toBe(200)
  } finally {
    for (const owner of full) bodies.remove(owner, 2 ** 26)
  }
})

test('an address with a wrong secret runs no command', async () => {
  const { commands } = watch()
  expect(await open(`${address}x`)).toBe(404)
  expect(commands).not.toHaveBeenCalled()
})

test('a page whose connection was closed while it waited is dropped, but not a form', async () => {
  const { sandbox } = sdk.twin
  const services = { engine: sandbox.engine, bodies: new HeldBodies() } as never
  const env = { outgoing: { req: { url: '/', rawHeaders: [], socket: { destroyed: true } } } }
  const run = (form: URLSearchParams | null) =>
    runCommand({ services, env, form }, sandbox.merchant, () => 'ran')
  await expect(run(null)).rejects.toThrow('Too many requests')
  expect(await run(new URLSearchParams())).toBe('ran')
})
