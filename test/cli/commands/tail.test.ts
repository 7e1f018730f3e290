import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  api,
  lines,
  type RunningDaemon,
  restart,
  start,
  startDaemon,
  subscribe,
  temporaryFolder,
} from '../executable.ts'

type Event = { id: string; type: string; object: string }
type Tail = ReturnType<typeof start>

let daemon: RunningDaemon
let folder: ReturnType<typeof temporaryFolder>
const tails: Tail[] = []

// Hooks run in reverse order, so the folder is deleted even if the daemon did not start.
afterEach(() => folder.remove())
beforeEach(async () => {
  folder = temporaryFolder()
  daemon = await startDaemon(['--data', folder.path, '--clock', '2026-01-31T10:00:00Z', '--seed', '1'])
})
afterEach(async () => {
  for (const tail of tails.splice(0)) tail.kill('SIGKILL')
  await daemon.stop()
})

function tail(...args: string[]): Tail {
  const child = start(['events', 'tail', '--data', folder.path, ...args])
  tails.push(child)
  return child
}

/** All events, oldest first. */
async function history(): Promise<Event[]> {
  const { data } = await api<{ data: Event[] }>(daemon, '/v1/events?limit=100')
  return data.reverse()
}

/** Returns the first event, after which tails start. */
async function firstEvent(): Promise<string> {
  await api(daemon, '/v1/customers', { email: 'first@example.com' })
  return (await history())[0]?.id ?? ''
}

test('with --json each event is a JSON object on its own line', async () => {
  const since = await firstEvent()
  const printed = lines(tail('--since', since, '--json').stdout)
  await subscribe(daemon)
  const expected = (await history()).slice(1)
  for (const event of expected) expect(JSON.parse((await printed.next()) ?? '')).toEqual(event)
  expect(expected.at(-1)?.type).toBe('charge.succeeded')
})

test('in a pipe each event is a line with its time', async () => {
  const since = await firstEvent()
  const printed = lines(tail('--since', since, '--plain').stdout)
  const { subscription } = await subscribe(daemon, ['succeed', 'decline:expired_card'])
  await api(daemon, '/v1/test_helpers/clock/advance', { by: '1mo' })
  const seen: string[] = []
  while (!seen.at(-1)?.includes('active → past_due')) seen.push((await printed.next()) ?? '')
  expect(seen.at(-1)).toBe(
    `2026-02-28T10:00:00Z  subscription.updated           ${subscription}  active → past_due  period 2026-02-28T10:00:00Z – 2026-03-31T10:00:00Z`,
  )
  expect(seen).toContainEqual(expect.stringMatching(/^2026-01-31T10:00:00Z {2}invoice\.paid .* 20\.00 USD/))
  expect(seen).toContainEqual(
    expect.stringMatching(/^2026-02-28T10:00:00Z {2}charge\.failed .* expired_card$/),
  )
})

test('only events of the given types and merchant are printed', async () => {
  const since = await firstEvent()
  const wanted = ['--type', 'invoice.*', 'subscription.created', '--merchant', daemon.merchant]
  const printed = lines(tail('--since', since, '--json', ...wanted).stdout)
  await subscribe(daemon)
  for (const type of ['subscription.created', 'invoice.created', 'invoice.finalized', 'invoice.paid']) {
    expect(JSON.parse((await printed.next()) ?? '')).toMatchObject({ type, merchant_id: daemon.merchant })
  }
})

test.each(['its port', 'another port'] as const)(
  'when a killed daemon restarts on %s, no event is lost or repeated',
  async (port) => {
    const since = await firstEvent()
    const child = tail('--since', since, '--json')
    const printed = lines(child.stdout)
    const said = lines(child.stderr)
    await subscribe(daemon)
    const before = (await history()).slice(1)
    for (const event of before) expect(JSON.parse((await printed.next()) ?? '')).toEqual(event)

    await daemon.stop('SIGKILL')
    expect(await said.next()).toContain('was lost. Reconnecting')
    daemon = await restart(daemon, folder.path, port)
    await subscribe(daemon)
    const after = (await history()).slice(1 + before.length)
    expect(after.length).toBeGreaterThan(5)
    for (const event of after) expect(JSON.parse((await printed.next()) ?? '')).toEqual(event)
    expect(await said.next()).toContain('Reconnected')
  },
)

test('it ends without an error when the pipe is closed: exit 0', async () => {
  const since = await firstEvent()
  const child = tail('--since', since)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const closed = once(child, 'close')
  await api(daemon, '/v1/customers', {})
  await lines(child.stdout).next()
  child.stdout.destroy()
  await api(daemon, '/v1/customers', {})
  expect(await closed).toEqual([0, null])
  expect(stderr).toBe('')
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it: exit 0', async (signal) => {
  const since = await firstEvent()
  const child = tail('--since', since)
  await api(daemon, '/v1/customers', {})
  await lines(child.stdout).next()
  const closed = once(child, 'close')
  child.kill(signal)
  expect(await closed).toEqual([0, null])
})
