import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type List, NOW, NOW_SECONDS, withDaemon } from '../command-line.ts'
import {
  api,
  lines,
  paytwin,
  type RunningDaemon,
  start,
  startDaemon,
  subscribe,
  temporaryFolder,
} from '../executable.ts'

type Snapshot = { id: string; object: string; name: string; created: number; size: number }

describe('snapshots', () => {
  const { daemon, json, text, fail } = withDaemon()

  test('are saved, listed, restored and deleted with a message', async () => {
    expect(await text('snapshots', 'list')).toBe('')
    expect(await text('snapshots', 'save', 'empty')).toMatch(/^Saved empty \(\d+(\.\d)? [kM]B\)\.\n$/)
    await subscribe(daemon())
    await text('snapshots', 'save', 'one')
    expect(await text('snapshots', 'list')).toMatch(/^empty\t20\d\d-.*Z\t.*B\none\t20\d\d-.*Z\t.*B\n$/)
    expect(await text('snapshots', 'restore', 'empty')).toMatch(
      /^Restored empty, saved at 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ\.\n$/,
    )
    expect((await json<List<object>>('events', 'list')).data).toEqual([])
    await text('snapshots', 'restore', 'one')
    expect((await json<List<object>>('events', 'list')).data).not.toEqual([])
    expect(await text('snapshots', 'delete', 'one')).toBe('Deleted one.\n')
    expect(await text('snapshots', 'list')).toMatch(/^empty\t[^\n]*\n$/)
  })

  test('are the API’s objects with --json', async () => {
    const saved = await json<Snapshot>('snapshots', 'save', 'a')
    expect(saved).toMatchObject({ id: 'a', object: 'snapshot', name: 'a', livemode: false })
    expect((await json<List<Snapshot>>('snapshots', 'list')).data).toContainEqual(saved)
    expect(await json('snapshots', 'restore', 'a')).toEqual(saved)
    expect(await json('snapshots', 'delete', 'a')).toEqual({
      id: 'a',
      object: 'snapshot',
      deleted: true,
      livemode: false,
    })
  })

  test('with an unknown or invalid name are refused: exit 1', async () => {
    for (const verb of ['restore', 'delete']) {
      expect(await fail('snapshots', verb, 'unknown')).toEqual({
        status: 1,
        stderr:
          "error: No such snapshot: 'unknown' (resource_missing). List the existing ones with 'paytwin snapshots list'.\n",
      })
    }
    const { status, stderr } = await fail('snapshots', 'save', '../up')
    expect(status).toBe(1)
    expect(stderr).toMatch(/^error: .* letter or digit, then up to 63 more .* \(parameter_invalid\)\n$/)
  })

  test('without a name are wrong usage: exit 2', async () => {
    for (const verb of ['save', 'restore', 'delete']) expect((await fail('snapshots', verb)).status).toBe(2)
  })

  test('a reset restores the first state', async () => {
    await subscribe(daemon())
    await text('clock', 'advance', '1y')
    expect(await text('snapshots', 'reset', '--yes')).toBe(
      `Restored the state of the first start.\nThe clock of ${daemon().merchant} is at ${NOW}.\n`,
    )
    expect(await json('snapshots', 'reset', '--yes')).toMatchObject({
      object: 'status',
      merchants: [{ id: daemon().merchant, clock: { now: NOW_SECONDS, mode: 'frozen' } }],
      counts: { events: 0 },
    })
    expect(await api(daemon(), '/v1/customers', {})).toMatchObject({ object: 'customer' })
  })

  test('a merchant is deleted, but not the default one', async () => {
    const { id } = await json<{ id: string }>('merchants', 'create')
    expect(await text('merchants', 'delete', id)).toBe(`Deleted ${id}.\n`)
    expect((await json<List<object>>('merchants', 'list')).data).toHaveLength(1)
    expect((await fail('merchants', 'delete', id)).stderr).toBe(
      `error: No such merchant: '${id}' (resource_missing). List the existing ones with 'paytwin merchants list'.\n`,
    )
    const { status, stderr } = await fail('merchants', 'delete', daemon().merchant)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^error: mer_\w+ is the default merchant, .*reset.* \(parameter_invalid\)\n$/)
  })
})

describe('on disk', () => {
  const folder = temporaryFolder()
  let daemon: RunningDaemon
  beforeAll(async () => {
    daemon = await startDaemon(['--data', folder.path, '--clock', NOW, '--seed', '1'])
  })
  afterAll(async () => {
    await daemon.stop()
    folder.remove()
  })
  const run = async (...args: string[]) => {
    const { status, stderr, stdout } = await paytwin([...args, '--data', folder.path])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }
  /** All events as they came over the wire, oldest first, but for the ids of requests. */
  const history = async (): Promise<string[]> => {
    type Page = { data: { id: string }[]; has_more: boolean }
    const all: string[] = []
    for (let cursor = '', more = true; more; ) {
      const page: Page = await api<Page>(daemon, `/v1/events?limit=100${cursor}`)
      all.unshift(...page.data.map((event) => JSON.stringify({ ...event, request: null })).reverse())
      cursor = `&starting_after=${page.data.at(-1)?.id}`
      more = page.has_more
    }
    return all
  }

  test('a year that is repeated after a restore, a restart and a reset is the same byte for byte', async () => {
    const year = async () => {
      await api(daemon, '/v1/customers', { email: 'bob@example.com' })
      await run('clock', 'advance', '1y')
      return history()
    }
    await subscribe(daemon, ['succeed', 'decline:insufficient_funds', 'decline:lost_card'])
    await run('snapshots', 'save', 'begin')
    const before = await history()
    const first = await year()
    expect(first.length).toBeGreaterThan(before.length + 12 * 5)
    await run('snapshots', 'restore', 'begin')
    expect(await history()).toEqual(before)
    expect(await year()).toEqual(first)

    const { secret_key = '' } = daemon
    await run('snapshots', 'restore', 'begin')
    await daemon.stop()
    daemon = { ...(await startDaemon(['--data', folder.path])), secret_key }
    expect(await history()).toEqual(before)
    expect(await year()).toEqual(first)

    await run('snapshots', 'reset', '--yes')
    await subscribe(daemon, ['succeed', 'decline:insufficient_funds', 'decline:lost_card'])
    expect(await history()).toEqual(before)
    expect(await year()).toEqual(first)
    expect(existsSync(join(folder.path, 'snapshots', 'begin.db'))).toBe(true)
  })

  test('events tail reports a restore, and continues with new events', async () => {
    await run('snapshots', 'save', 'tail')
    const [newest] = (await history()).slice(-1)
    const child = start([
      'events',
      'tail',
      '--data',
      folder.path,
      '--json',
      '--since',
      JSON.parse(newest ?? '').id,
    ])
    const [printed, said] = [lines(child.stdout), lines(child.stderr)]
    const emailOf = async () => JSON.parse((await printed.next()) ?? '').data.object.email
    await api(daemon, '/v1/customers', { email: 'gone@example.com' })
    expect(await emailOf()).toBe('gone@example.com')
    await run('snapshots', 'restore', 'tail')
    expect(await said.next()).toBe(
      'The sandbox was reset or restored. The following events belong to the new history.',
    )
    await api(daemon, '/v1/customers', { email: 'new@example.com' })
    expect(await emailOf()).toBe('new@example.com')
    child.kill('SIGTERM')
  })
})
