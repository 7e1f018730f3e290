import { once } from 'node:events'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Clock, type List, NOW_SECONDS, withDaemon } from './command-line.ts'
import { lines, start, subscribe } from './executable.ts'

const DAY = 86_400
/** A module that reports on standard error when a request for an advance was sent. */
const REPORT_ADVANCE = `data:text/javascript,${encodeURIComponent(`
  import { ClientRequest } from 'node:http'
  const { end } = ClientRequest.prototype
  ClientRequest.prototype.end = function (...given) {
    if (this.path.includes('clock/advance')) this.once('finish', () => process.stderr.write('sent\\n'))
    return end.apply(this, given)
  }`)}`

describe('clock advance', () => {
  const { daemon, json, fail } = withDaemon()
  beforeAll(async () => {
    await subscribe(daemon())
  })

  const now = async () => (await json<List<Clock>>('clock', 'show')).data[0]?.now
  /** Advances the clock. @returns the days advanced, and the event type on which the advance stopped */
  const advanced = async (...args: string[]) => {
    const before = (await now()) ?? 0
    const [moved] = (await json<List<Clock>>('clock', 'advance', ...args)).data
    return [((moved?.now ?? 0) - before) / DAY, moved?.summary.stopped_on]
  }

  test('takes the duration before or after --stop-on, with several types and globs', async () => {
    expect(await advanced('--stop-on', 'invoice.paid', '1d')).toEqual([1, null])
    expect(await advanced('--stop-on', '1d', 'invoice.paid', 'charge.*')).toEqual([1, null])
    expect(await advanced('1d', '--stop-on', 'invoice.paid', '*.failed')).toEqual([1, null])
    expect(await advanced('--stop-on', 'invoice.paid', 'P1D')).toEqual([1, null])
    expect(await advanced('--stop-on=invoice.paid', '1y')).toEqual([24, 'invoice.paid'])
  })

  test.each([
    [['--stop-on', 'invoice.paid'], /Give a duration/],
    [['--stop-on', '1mo'], /--stop-on needs at least one event type/],
    [['--to-next', '--to', '2099-01-01'], /Give only one of/],
    [['1d', '2d'], /'1d 2d' is not a duration/],
    [['30'], /'30' is not a duration: add a unit, as in 30d, or use --to for a time\.\n$/],
    [['--stop-on', 'invoice.paid', 'soon'], /'soon' is not a duration/],
    [['--all', '--to-next'], /--to-next works with one clock only/],
    [['1d', '--all', '--stop-on', 'invoice.paid'], /--stop-on works with one clock only/],
  ])('%j is wrong usage: exit 2', async (args, message) => {
    const { status, stderr } = await fail('clock', 'advance', ...args)
    expect(status).toBe(2)
    expect(stderr).toMatch(message)
  })

  test.each([
    [['1d', '--stop-on', 'nothing.at_all'], /'nothing\.at_all' matches no event type/],
    [['1d', '--stop-on', 'invoice.paid', 'soon'], /'soon' matches no event type/],
  ])('%j is refused by the daemon: exit 1', async (args, message) => {
    const { status, stderr } = await fail('clock', 'advance', ...args)
    expect(status).toBe(1)
    expect(stderr).toMatch(message)
  })

  test('advances to the next due job and no further', async () => {
    const { data } = await json<List<{ due: number }>>('clock', 'next', '-n', '2')
    expect(data).toHaveLength(1)
    await json('clock', 'advance', '--to-next')
    expect(await now()).toBe(data[0]?.due)
  })
})

describe('a long advance', () => {
  const { daemon, json } = withDaemon()
  const clock = async () => (await json<List<Clock>>('clock', 'show')).data[0]
  beforeAll(async () => {
    await subscribe(daemon())
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is ended by %s where it has come to: exit %d, with the summary', async (signal, status) => {
    const child = start(['clock', 'advance', '--to', '9000-01-01', '--json'], { env: daemon().env })
    const closed = once(child, 'close')
    const said = lines(child.stdout)
    const beside = lines(child.stderr)
    while ((await clock())?.status !== 'advancing');
    child.kill(signal)
    const response: List<Clock> = JSON.parse((await said.next()) ?? '')
    expect(await beside.next()).toBe('Canceled: the clock stays at the time it has reached.')
    expect(await closed).toEqual([status, null])
    expect(response.data[0]?.summary.jobs).toBeGreaterThan(0)
    expect(await clock()).toMatchObject({ status: 'ready', now: response.data[0]?.now })
    expect(response.data[0]?.now).toBeGreaterThan(NOW_SECONDS)
  })

  test('is not ended by Ctrl-C on another one that waits for it', async () => {
    const running = start(['clock', 'advance', '--to', '9000-01-01', '--json'], { env: daemon().env })
    const ended = once(running, 'close')
    while ((await clock())?.status !== 'advancing');
    const env = { ...daemon().env, NODE_OPTIONS: `--import ${REPORT_ADVANCE}` }
    const waiting = start(['clock', 'advance', '--to', '9500-01-01', '--json'], { env })
    const closed = once(waiting, 'close')
    const [said, beside] = [lines(waiting.stdout), lines(waiting.stderr)]
    expect(await beside.next()).toBe('sent')
    // A request that the daemon reads after that of the advance.
    await clock()
    waiting.kill('SIGINT')
    expect(JSON.parse((await said.next()) ?? '').data[0].summary).toMatchObject({ jobs: 0 })
    expect(await beside.next()).toBe('Canceled before it began: another advance moves the clock.')
    expect(await closed).toEqual([130, null])
    expect(await clock()).toMatchObject({ status: 'advancing', target: Date.parse('9000-01-01') / 1000 })
    running.kill('SIGINT')
    expect(await ended).toEqual([130, null])
    expect((await clock())?.status).toBe('ready')
  })

  test('continues when its command is killed, until it is canceled', async () => {
    const child = start(['clock', 'advance', '--to', '9000-01-01'], { env: daemon().env })
    const closed = once(child, 'close')
    while ((await clock())?.status !== 'advancing');
    child.kill('SIGKILL')
    await closed
    expect((await clock())?.status).toBe('advancing')
    await json('clock', 'cancel')
    while ((await clock())?.status !== 'ready');
  })
})
