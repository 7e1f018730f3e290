import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { api, startDaemon, temporaryFolder } from './executable.ts'

const EVENTS = 1_000
const KILLS = 3
const KEY = 'sk_test_killedandstartedagain000001'

type Page = { data: { id: string; event: string; status: string; attempts: unknown[] }[]; has_more: boolean }

/** A receiver that does not respond until it is opened, and reports when it has a number of requests. */
async function startReceiver() {
  const got: string[] = []
  let wanted: { count: number; reached: () => void } | undefined
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      got.push(String(request.headers['webhook-id']))
      void opened.then(() => response.end('ok'))
      if (wanted && got.length >= wanted.count) wanted.reached()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const reaching = (count: number) =>
    new Promise<void>((reached) => {
      wanted = { count, reached }
      if (got.length >= count) reached()
    })
  return {
    got,
    reaching,
    open: () => open(),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  }
}

test('a repeatedly killed daemon delivers each event at least once, and the first deliveries in order', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  const { got, reaching, open, url } = await startReceiver()
  const start = async () => {
    const daemon = await startDaemon(['--data', folder.path, '--clock', '2026-01-31T10:00:00Z'], {
      env: { PAYTWIN_SECRET_KEY: KEY },
    })
    onTestFinished(async () => {
      await daemon.stop('SIGKILL')
    })
    return { ...daemon, secret_key: KEY }
  }

  let daemon = await start()
  const endpoint = await api(daemon, '/v1/webhook_endpoints', { url, enabled_events: ['customer.created'] })
  const requests: Promise<unknown>[] = []
  for (let made = 0; made < EVENTS; made += 1) requests.push(api(daemon, '/v1/customers', {}))
  await Promise.all(requests)
  expect(got).toHaveLength(1)
  open()
  for (let kill = 1; kill <= KILLS; kill += 1) {
    await reaching(got.length + 150)
    expect(await daemon.stop('SIGKILL')).toBeNull()
    expect(new Set(got).size).toBeLessThan(EVENTS)
    daemon = await start()
  }

  const isPending = async () => {
    const page = await api<{ data: { pending_webhooks: number }[] }>(daemon, '/v1/events?limit=1')
    return page.data[0]?.pending_webhooks !== 0
  }
  while (await isPending()) await new Promise((resolve) => setImmediate(resolve))
  const deliveries: Page['data'] = []
  for (let cursor = '', more = true; more; cursor = `&starting_after=${deliveries.at(-1)?.id}`) {
    const page: Page = await api<Page>(
      daemon,
      `/v1/webhook_endpoints/${endpoint.id}/deliveries?limit=100${cursor}`,
    )
    deliveries.push(...page.data)
    more = page.has_more
  }
  expect(deliveries).toHaveLength(EVENTS)
  expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['succeeded']))
  expect([...new Set(got)]).toEqual(deliveries.map(({ event }) => event).reverse())
  // Only deliveries that were in progress or not recorded at the kill are sent twice.
  expect(got.length - EVENTS).toBeLessThan(KILLS * 100)
  expect(await daemon.stop()).toBe(0)
}, 120_000)
