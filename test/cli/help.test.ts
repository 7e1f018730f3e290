import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runHere } from './command-line.ts'
import { nameOf, VERBS } from './command-tree.ts'
import { ask, type Finished, paytwin, type RunningDaemon, startDaemon, subscribe } from './executable.ts'

let daemon: RunningDaemon
beforeAll(async () => {
  daemon = await startDaemon(['--ephemeral', '--clock', '2026-01-31T10:00:00Z'])
  await subscribe(daemon)
  expect(await here(['snapshots', 'save', 'at-first'])).toMatchObject({ status: 0 })
})
afterAll(() => daemon.stop())

/** Restores the state for the next example. Snapshots contain neither apps nor revocations of keys, so these are restored separately. */
beforeEach(async () => {
  expect(await here(['snapshots', 'restore', 'at-first'])).toMatchObject({ status: 0 })
  expect(await here(['snapshots', 'save', 'before-renewal'])).toMatchObject({ status: 0 })
  await ask(daemon, undefined, runHere)
  // An example revokes the newest key.
  expect(await here(['keys', 'create'])).toMatchObject({ status: 0 })
})

const here = (args: readonly string[]): Promise<Finished> => runHere(args, daemon)

/** Commands that do not end by themselves, or that start or stop a daemon. Other tests run them. */
const RUN_ELSEWHERE =
  'serve,start,stop,run,logs,events tail,requests tail,webhooks listen,webhooks forward,listen,mcp'.split(',')

test('there are commands', () => {
  expect(VERBS.map(nameOf)).toEqual(
    expect.arrayContaining(['serve', 'status', 'keys create', 'clock advance', 'events tail']),
  )
})

test.each(VERBS.map((verb) => [nameOf(verb), verb] as const))(
  '%s has help with examples that run',
  async (name, { path, examples }) => {
    const { status, stdout } = await here([...path, '--help'])
    expect(status).toBe(0)
    expect(stdout).toContain('Examples:')
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      expect(example.slice(0, path.length)).toEqual(path)
      if (RUN_ELSEWHERE.includes(name)) continue
      // The examples name files of this repository, in whose folder tests run.
      const ran = await here(await withRealIds(example))
      expect({ example, status: ran.status, stderr: ran.stderr }).toEqual({ example, status: 0, stderr: '' })
    }
  },
)

const KINDS = [
  ['pi_', 'payment_intent', 'succeeded'],
  ['cus_', 'customer'],
  ['sub_', 'subscription'],
  ['in_', 'invoice'],
] as const

/** Replaces placeholder ids of the examples with existing ids. */
async function withRealIds(args: readonly string[]): Promise<string[]> {
  const newest = async (...list: string[]): Promise<string> => {
    const { stdout } = await here([...list, '--json'])
    return JSON.parse(stdout).data[0].id
  }
  // The only merchant there is cannot be deleted.
  const another = async (): Promise<string> => {
    const { stdout } = await here(['merchants', 'create', '--json'])
    return JSON.parse(stdout).id
  }
  const newestIn = async (arg: string): Promise<string> => {
    const [, kind = '', step = 'created'] = KINDS.find(([prefix]) => arg.startsWith(prefix)) ?? []
    const list = ['events', 'list', '--type', `${kind}.${step}`, '--json']
    const { stdout } = await here(list)
    return JSON.parse(stdout).data[0].data.object.id
  }
  const newFault = async (): Promise<string> => {
    const { stdout } = await here(['faults', 'add', 'decline', '--json'])
    return JSON.parse(stdout).id
  }
  const newSchedule = async (): Promise<string> => {
    const { stdout } = await here(['trigger', 'subscription_schedule.created', '--json'])
    const { events } = JSON.parse(stdout)
    return events.find(({ type }: { type: string }) => type === 'subscription_schedule.created').data.object
      .id
  }
  const newEndpoint = async (): Promise<string> => {
    const { stdout } = await here(['webhooks', 'create', 'http://localhost:9/', '--json'])
    return JSON.parse(stdout).id
  }
  const newSession = async (): Promise<string> => {
    const key = `sk_test_${Math.random().toString(36).slice(2)}`
    await here(['merchants', 'create', '--dialect', 'stripe', '--secret-key', key])
    const response = await fetch(`${daemon.url}/v1/checkout/sessions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: new URLSearchParams({ mode: 'setup', currency: 'usd', success_url: 'https://shop.example/done' }),
    })
    return ((await response.json()) as { id: string }).id
  }
  const newRequest = async (): Promise<string> => {
    const key = `sk_test_${Math.random().toString(36).slice(2)}`
    await here(['merchants', 'create', '--secret-key', key])
    await fetch(`${daemon.url}/v1/customers`, { headers: { Authorization: `Bearer ${key}` } })
    return newest('requests', 'list')
  }
  const newMail = async (): Promise<string> => {
    const key = `sk_test_${Math.random().toString(36).slice(2)}`
    await here(['merchants', 'create', '--dialect', 'stripe', '--secret-key', key])
    await fetch(`${daemon.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}` },
      body: new URLSearchParams({
        ...{ amount: '2000', currency: 'usd', payment_method: 'pm_card_visa', confirm: 'true' },
        receipt_email: 'ada@example.com',
      }),
    })
    return newest('mail', 'list')
  }
  const real = async (arg: string) => {
    if (arg.startsWith('mail_')) return newMail()
    if (arg.startsWith('req_')) return newRequest()
    if (arg.startsWith('cs_test_')) return newSession()
    if (arg.startsWith('we_')) return newEndpoint()
    if (arg.startsWith('sub_sched_')) return newSchedule()
    if (arg.startsWith('key_')) return newest('keys', 'list')
    if (arg.startsWith('app_')) return newest('apps', 'list')
    if (arg.startsWith('oauthz_')) return newest('oauth', 'list')
    if (arg.startsWith('fault_')) return newFault()
    if (arg.startsWith('mer_')) return args[1] === 'delete' ? another() : newest('merchants', 'list')
    if (/^(cus|sub|in|pi)_/.test(arg)) return newestIn(arg)
    const [inPath] = /(?<=\/)(cus|sub|in)_0\w+/.exec(arg) ?? []
    if (inPath !== undefined) return arg.replace(inPath, await newestIn(inPath))
    return arg.startsWith('evt_') ? newest('events', 'list') : arg
  }
  return Promise.all(args.map(real))
}

test.each([['--help'], ['--version'], ['help', 'clock']])(
  '%s responses on stdout: exit 0',
  async (...args) => {
    const { status, stdout, stderr } = await paytwin(args.filter((arg) => arg !== undefined))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).not.toBe('')
  },
)
