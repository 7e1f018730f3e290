import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/program.ts'
import { type List, NOW, withDaemon } from '../command-line.ts'
import { api, subscribe } from '../executable.ts'
import { recordedIo } from '../terminal.ts'

type Listed = List<{ id: string; status: string; customer: string }>

describe('with a subscription whose renewal failed', () => {
  const { daemon, json, text, fail } = withDaemon()
  let failed: { customer: string; subscription: string }
  let other: { id: string }
  beforeAll(async () => {
    failed = await subscribe(daemon(), ['succeed', 'decline:insufficient_funds'])
    await text('clock', 'advance', '--to', '2026-02-28T12:00:00Z')
    other = await api(daemon(), '/v1/customers', { name: 'Grace', email: 'grace@example.com' })
    const charges = await api<{ data: { id: string; paid: boolean }[] }>(daemon(), '/v1/charges')
    await api(daemon(), '/v1/refunds', { charge: charges.data.find(({ paid }) => paid)?.id, amount: 500 })
  })

  test('each resource has a list', async () => {
    const counts: Record<string, number> = {}
    for (const name of ['customers', 'subscriptions', 'invoices', 'payment_intents', 'charges', 'refunds']) {
      const list = await json<Listed>(name, 'list')
      expect(list).toMatchObject({ object: 'list', url: `/v1/${name}` })
      counts[name] = list.data.length
      expect((await text(name, 'list')).split('\n')).toHaveLength(list.data.length + 1)
    }
    expect(counts).toEqual({
      customers: 2,
      subscriptions: 1,
      invoices: 2,
      payment_intents: 2,
      charges: 2,
      refunds: 1,
    })
  })

  test('filters of the API are options, and a customer may be given by its email address', async () => {
    const ids = async (...args: string[]) => (await json<Listed>(...args)).data.map(({ id }) => id)
    const subscriptions = (...args: string[]) => ids('subscriptions', 'list', ...args)
    expect(await subscriptions('--status', 'past_due')).toEqual([failed.subscription])
    expect(await subscriptions('--status', 'active')).toEqual([])
    expect(await subscriptions('--customer', 'ada@example.com')).toEqual([failed.subscription])
    expect(await subscriptions('--customer', failed.customer)).toEqual([failed.subscription])
    expect(await subscriptions('--customer', 'grace@example.com')).toEqual([])
    expect(await subscriptions('--collection-method', 'send_invoice')).toEqual([])
    expect(await ids('customers', 'list', '--email', 'grace@example.com')).toEqual([other.id])
    expect(await ids('invoices', 'list', '--status', 'open', '-n', '1')).toHaveLength(1)
    expect(await ids('invoices', 'list', '--created-after', '2026-02-01')).toHaveLength(1)
    expect(await ids('invoices', 'list', '--created-before', NOW)).toEqual([])
    const [newest, older] = await ids('charges', 'list')
    expect(await ids('charges', 'list', '--starting-after', newest ?? '')).toEqual([older])
  })

  test('a table names customers by email address, and pipes have the IDs too', async () => {
    const { io, written } = recordedIo({ isTerminal: true, columns: 80, env: daemon().env })
    expect(await run(['subscriptions', 'list'], io)).toBe(0)
    expect(stripVTControlCharacters(written.stdout).trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ID +STATUS +CUSTOMER +AMOUNT$/),
      expect.stringMatching(/^sub_\w{14} {2}past_due {2}ada@example\.com {2}20\.00 USD a month$/),
    ])
    expect(await text('subscriptions', 'list')).toContain(`\t${failed.customer}\t`)
    expect(await text('charges', 'list')).toMatch(
      /^ch_\w+\tfailed\t20\.00 USD\t–\tada@example\.com\tinsufficient_funds\t/,
    )
  })

  test('customers show takes an email address', async () => {
    const { id } = await json<{ id: string }>('customers', 'show', 'ada@example.com')
    expect(id).toBe(failed.customer)
    expect(await fail('customers', 'show', 'nobody@example.com')).toEqual({
      status: 1,
      stderr:
        "error: No customer has the email address 'nobody@example.com'. List the customers with 'paytwin customers list'.\n",
    })
  })

  test('get, post and delete call the API as the merchant', async () => {
    const made = await json<{ id: string }>(
      'post',
      '/v1/customers',
      '-d',
      'name=Joan',
      '-d',
      'metadata[team]=a=b',
    )
    expect(made).toMatchObject({ name: 'Joan', metadata: { team: 'a=b' } })
    expect(await json('get', `customers/${made.id}`)).toEqual(made)
    expect(await json('get', 'v1/customers?limit=1', '-d', 'email=ada@example.com')).toMatchObject({
      data: [{ id: failed.customer }],
    })
    expect(await json('delete', `/v1/customers/${made.id}`)).toMatchObject({ deleted: true })
    const key = ['--idempotency-key', 'once', '-d', 'name=Once']
    expect(await json('post', 'customers', ...key)).toEqual(await json('post', 'customers', ...key))
  })

  test('an error of the API is printed as it is, with its message on stderr: exit 1', async () => {
    const { io, written } = recordedIo({ env: daemon().env })
    expect(await run(['post', '/v1/customers', '-d', 'invoice_prefix=x'], io)).toBe(1)
    expect(JSON.parse(written.stdout)).toMatchObject({
      error: { code: 'parameter_invalid', param: 'invoice_prefix' },
    })
    expect(written.stderr).toMatch(/^error: .*invoice_prefix.*\(parameter_invalid\)\n$/)
  })

  test.each([
    [['get', '/etc/passwd']],
    [['get', '../status']],
    [['get', '..?status']],
    [['get', 'customers\\..\\..\\..\\..\\status']],
    [['get', 'customers/%2e%2e/%2E./.%2e/%2e%2e/status']],
    [['get', 'customers/.\t./.\t./.\n./.\t./status']],
    [['get', 'http://example.com/v1/customers']],
    [['get', '/_paytwin/status']],
    [['post', '/v1/customers', '-d', 'name']],
    [['post', '/v1/customers', '-d', '{"name":"Ada"}']],
    [['invoices', 'list', '--created-after', 'yesterday']],
  ])('%j is wrong usage: exit 2', async (args) => {
    expect((await fail(...args)).status).toBe(2)
  })
})

describe('with customers of several merchants', () => {
  const { daemon, json, text, fail } = withDaemon()

  test('a list needs --merchant, and an email address of several customers is refused: exit 2', async () => {
    const one = await api(daemon(), '/v1/customers', { email: 'ada@example.com' })
    const merchant = (await json<{ id: string }>('merchants', 'create', '--clock', NOW)).id
    expect(await fail('customers', 'list')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('choose one with --merchant'),
    })
    const post = ['post', 'customers', '-d', 'email=ada@example.com', '--merchant', merchant]
    const two = await json<{ id: string }>(...post)
    expect(await text('customers', 'list', '--merchant', merchant)).toContain(two.id)
    expect(await fail('customers', 'show', 'ada@example.com')).toEqual({
      status: 2,
      stderr: `error: Several customers have the email address 'ada@example.com': ${one.id}, ${two.id}. Give an ID.\n`,
    })
    const list = ['subscriptions', 'list', '--customer', 'ada@example.com', '--merchant', merchant]
    expect(await json(...list)).toMatchObject({ data: [] })
  })
})
