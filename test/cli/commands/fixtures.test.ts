import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ESCAPE, type List, NOW, withDaemon } from '../command-line.ts'
import { api, paytwin, type RunningDaemon, startDaemon, temporaryFolder } from '../executable.ts'

const DEFAULT = fileURLToPath(new URL('../../../fixtures/default.json', import.meta.url))
const KEY = `sk_test_${'a'.repeat(30)}`

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

/** Writes a file into the test's folder. @returns its path */
function written(name: string, content: unknown): string {
  const path = join(folder.path, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

type Loaded = {
  counts: Record<string, number>
  made: { object: string; ref: string; id: string }[]
}
const WITH_SECRETS = {
  webhook_endpoints: [{ ref: 'shop', url: 'http://127.0.0.1:9/', enabled_events: ['invoice.*'] }],
  apps: [
    { ref: 'made', name: 'Made', redirect_uris: ['https://made.example/'] },
    {
      ref: 'chosen',
      name: 'Chosen',
      redirect_uris: ['https://chosen.example/'],
      client_secret: `ocs_test_${'s'.repeat(24)}`,
    },
  ],
}
const DEFAULT_COUNTS = { product: 2, price: 4, customer: 4, payment_method: 4 }

describe('fixtures', () => {
  const { daemon, json, text, fail } = withDaemon()

  test('load prints the created objects, one per line', async () => {
    const shown = await text('fixtures', 'load', DEFAULT)
    const rows = shown
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(rows.map(([object, ref]) => `${object} ${ref}`)).toEqual([
      ...['product basic', 'product pro', 'price basic', 'price pro', 'price weekly', 'price yearly'],
      ...['customer good', 'customer declining', 'customer scripted', 'customer pix'],
      ...['payment_method good', 'payment_method declining', 'payment_method scripted', 'payment_method pix'],
    ])
    const [, , id, merchant] = rows[0] ?? []
    expect(await api(daemon(), `/v1/products/${id}`)).toMatchObject({ name: 'Basic', merchant_id: merchant })
    expect(shown).not.toContain(ESCAPE)
  })

  test('load --json prints the API response', async () => {
    expect(await json<Loaded>('fixtures', 'load', DEFAULT)).toMatchObject({
      object: 'fixtures',
      validate_only: false,
      counts: DEFAULT_COUNTS,
      livemode: false,
    })
  })

  test('the cards of the default fixtures behave as their names say', async () => {
    const { made } = await json<Loaded>('fixtures', 'load', DEFAULT)
    const id = (object: string, ref: string) =>
      made.find((one) => one.object === object && one.ref === ref)?.id
    const subscribe = (who: string, price: string) =>
      api<{ id: string; status: string }>(daemon(), '/v1/subscriptions', {
        customer: id('customer', who),
        currency: 'usd',
        default_payment_method: id('payment_method', who),
        items: [{ price: id('price', price) }],
      })
    expect((await subscribe('good', 'basic')).status).toBe('active')
    expect((await subscribe('good', 'yearly')).status).toBe('active')
    expect((await subscribe('declining', 'weekly')).status).toBe('incomplete')
    await expect(subscribe('pix', 'pro')).rejects.toThrow('unsupported_psp_capability')
    const scripted = await subscribe('scripted', 'pro')
    expect(scripted.status).toBe('active')
    const status = async () =>
      (await api<{ status: string }>(daemon(), `/v1/subscriptions/${scripted.id}`)).status
    await text('clock', 'advance', '1mo')
    expect(await status()).toBe('past_due')
    await text('clock', 'advance', '1d')
    expect(await status()).toBe('past_due')
    await text('clock', 'advance', '2d')
    expect(await status()).toBe('active')
  })

  test('load prints the secrets of endpoints and apps once', async () => {
    const path = written('shop.json', WITH_SECRETS)
    const shown = await text('fixtures', 'load', path)
    const rows = shown
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    expect(rows).toEqual([
      [
        'webhook_endpoint',
        'shop',
        expect.stringMatching(/^we_/),
        daemon().merchant,
        expect.stringMatching(/^whsec_/),
      ],
      ['app', 'made', expect.stringMatching(/^app_/), '–', expect.stringMatching(/^ocs_test_/)],
      ['app', 'chosen', expect.stringMatching(/^app_/), '–', '–'],
    ])
    for (const noun of ['apps', 'webhooks']) expect(await text(noun, 'list')).not.toMatch(/whsec_|ocs_test_/)
  })

  test('load refuses invalid webhook URLs and redirect URIs, one line each: exit 1', async () => {
    const path = written('bad.json', {
      webhook_endpoints: [{ url: 'http://169.254.169.254/', enabled_events: ['invoice.payed'] }],
      apps: [{ name: 'Ledgerly', redirect_uris: ['http://ledgerly.example/'] }],
    })
    const { status, stderr } = await fail('fixtures', 'load', path)
    expect(status).toBe(1)
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /^error: .*bad\.json: webhook_endpoints\[0\]\.url: 169\.254\.169\.254 is a link-local/,
      ),
      expect.stringMatching(
        /bad\.json: webhook_endpoints\[0\]\.enabled_events\[0\]: .*; did you mean 'invoice\.paid'\?/,
      ),
      expect.stringMatching(
        /bad\.json: apps\[0\]\.redirect_uris\[0\]: .*http is allowed on the loopback only/,
      ),
    ])
  })

  test('several files are loaded together', async () => {
    const prices = written('prices.json', {
      prices: [{ ref: 'day', unit_amount: 1, currency: 'usd', recurring: { interval: 'day' } }],
    })
    const trial = written('trial.json', {
      customers: [{ ref: 'eve' }],
      subscriptions: [
        { ref: 'trial', customer: 'eve', currency: 'usd', trial_period_days: 7, items: [{ price: 'day' }] },
      ],
    })
    const { counts } = await json<Loaded>('fixtures', 'load', trial, prices)
    expect(counts).toEqual({ price: 1, customer: 1, subscription: 1 })
  })

  test('validate reports valid files, and creates nothing', async () => {
    const before = await json('status')
    const more = written('more.json', { customers: [{ ref: 'eve' }] })
    expect(await text('fixtures', 'validate', DEFAULT, more)).toBe(
      `${DEFAULT} is valid\n${more} is valid\nLoading creates 2 products, 4 prices, 5 customers, 4 payment methods.\n`,
    )
    expect(await json('fixtures', 'validate', DEFAULT)).toMatchObject({
      validate_only: true,
      counts: DEFAULT_COUNTS,
      made: [],
    })
    expect(await json('status')).toEqual({ ...(before as object), uptime: expect.any(Number) })
  })

  test.each(['load', 'validate'])('%s reports all mistakes, one per line: exit 1', async (verb) => {
    const first = written('first.json', { prices: [{ ref: 'pro', unit_amount: 1, curency: 'usd' }] })
    const second = written('second.json', { merchants: [{ keys: [{ secret: `${KEY}!` }] }] })
    const { status, stderr } = await fail('fixtures', verb, first, second)
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: [
        `error: ${first}: prices[0].currency: required (parameter_missing)\n`,
        `error: ${first}: prices[0].curency: unknown name 'curency'; did you mean 'currency'? (parameter_unknown)\n`,
        `error: ${second}: merchants[0].keys[0].secret: expected sk_test_, rk_test_ or pk_test_ and 1 to 200 letters, digits, '_' or '-' (parameter_invalid)\n`,
      ].join(''),
    })
    expect((await json<List<object>>('merchants', 'list')).data).toHaveLength(1)
  })

  test('an object that a rule refuses is reported with its path: exit 1', async () => {
    const path = written('rule.json', {
      prices: [{ ref: 'pro', unit_amount: 1, currency: 'usd', recurring: { interval: 'month' } }],
      customers: [{ ref: 'ada' }],
      subscriptions: [
        { customer: 'ada', currency: 'usd', default_payment_method: 'pm_pix', items: [{ price: 'pro' }] },
      ],
    })
    expect(await fail('fixtures', 'load', path)).toEqual({
      status: 1,
      stderr: `error: ${path}: subscriptions[0].default_payment_method: Recurring billing supports card payments only; a payment method of type 'pix' cannot recur (unsupported_psp_capability)\n`,
    })
  })

  test('files that are not UTF-8 are reported, not loaded with other characters: exit 1', async () => {
    const [wide, latin] = [join(folder.path, 'wide.json'), join(folder.path, 'latin.json')]
    writeFileSync(wide, '\ufeff{}', 'utf16le')
    writeFileSync(latin, '{\n "products": [{"ref": "caf\u00e9"}]\n}', 'latin1')
    expect(await fail('fixtures', 'validate', wide, latin)).toEqual({
      status: 1,
      stderr: `error: ${wide}:1:1: this file is UTF-16; save it as UTF-8\nerror: ${latin}:2:27: this is not UTF-8\n`,
    })
  })

  test('invalid JSON is reported with line and column, for every file: exit 1', async () => {
    const first = written('first.json', '{\n  "prices": [],\n}')
    const second = written('second.json', '{ "prices": [], "prices": [] }')
    expect(await fail('fixtures', 'validate', first, DEFAULT, second)).toEqual({
      status: 1,
      stderr: `error: ${first}:2:15: expected no ',' before '}'\nerror: ${second}:1:17: the name 'prices' occurs twice\n`,
    })
  })

  test.each([['load'], ['validate']])(
    '%s of a file that cannot be read is wrong usage: exit 2',
    async (verb) => {
      const { status, stderr } = await fail('fixtures', verb, join(folder.path, 'none.json'))
      expect(status).toBe(2)
      expect(stderr).toMatch(/^error: The fixtures file cannot be read: ENOENT: [^\n]*none\.json'\n$/)
      expect((await fail('fixtures', verb)).status).toBe(2)
    },
  )

  test.each([['load'], ['validate']])(
    '%s of files that are too large together reads none of them',
    async (verb) => {
      const paths = [written('one.json', ' '.repeat(5_000_000)), written('two.json', ' '.repeat(5_000_000))]
      expect(await fail('fixtures', verb, ...paths)).toEqual({
        status: 1,
        stderr:
          'error: The fixtures files have 10,000,000 bytes; at most 4,194,304 can be loaded at once. Load them in parts.\n',
      })
    },
  )

  test('a device without an end is too large', async () => {
    const { status, stderr } = await fail('fixtures', 'validate', '/dev/zero')
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('have 4,194,305 bytes; at most'),
    })
  })

  test('control characters in names of files and objects are escaped', async () => {
    const path = written('evil.json', { '\u001b[2J': [] })
    const { stderr } = await fail('fixtures', 'load', path)
    expect(stderr).toContain('\\u001b[2J')
    expect(stderr).not.toContain(ESCAPE)
  })
})

describe('serve --fixtures', () => {
  let running: RunningDaemon[] = []
  afterEach(async () => {
    await Promise.all(running.map((daemon) => daemon.stop()))
    running = []
  })
  const started = async (...given: Parameters<typeof startDaemon>) => {
    const daemon = await startDaemon(...given)
    running.push(daemon)
    return daemon
  }
  const customers = async (daemon: Pick<RunningDaemon, 'url' | 'secret_key'>) =>
    (await api<List<{ name: string; created: number }>>(daemon, '/v1/customers')).data
  const refused = async (...args: string[]) => {
    const { status, stdout, stderr } = await paytwin(['serve', '--port', '0', '--data', 'data', ...args], {
      cwd: folder.path,
    })
    expect(stdout).toBe('')
    return { status, stderr }
  }

  test('loads them before it is ready', async () => {
    const daemon = await started(['--ephemeral', '--clock', NOW, '--fixtures', DEFAULT])
    expect(await customers(daemon)).toMatchObject([
      { name: 'Maria Quitéria', created: 1_769_853_600 },
      { name: 'Grace Hopper' },
      { name: 'Charles Babbage' },
      { name: 'Ada Lovelace' },
    ])
    expect(daemon.log()).toContain(`loaded ${DEFAULT}`)
  })

  test('shows the created secrets only with the ready line, and never in the log', async () => {
    const path = written('shop.json', WITH_SECRETS)
    const data = join(folder.path, 'data')
    const daemon = await started(['--data', data, '--fixtures', path, '--log-level', 'debug'])
    expect(daemon.fixture_secrets).toEqual([
      {
        object: 'webhook_endpoint',
        ref: 'shop',
        id: expect.stringMatching(/^we_/),
        secret: expect.stringMatching(/^whsec_/),
      },
      {
        object: 'app',
        ref: 'made',
        id: expect.stringMatching(/^app_/),
        secret: expect.stringMatching(/^ocs_test_/),
      },
    ])
    await daemon.stop()
    const kept = ['daemon.log', 'paytwin.db'].map((name) => readFileSync(join(data, name)))
    for (const { secret } of [...(daemon.fixture_secrets ?? []), { secret: 'ocs_test_s' }]) {
      expect(daemon.log()).not.toContain(secret)
      expect(kept.filter((bytes) => bytes.includes(secret))).toEqual([])
    }
    expect((await started(['--data', data, '--fixtures', path])).fixture_secrets).toBeUndefined()
  })

  test('loads several files, also from PAYTWIN_FIXTURES', async () => {
    const own = written('own shop.json', {
      merchants: [{ name: 'Shop', keys: [{ secret: KEY }], customers: [{ name: 'Eve' }] }],
    })
    for (const daemon of [
      await started(['--ephemeral', '--fixtures', DEFAULT, own]),
      await started(['--ephemeral'], { env: { PAYTWIN_FIXTURES: `${DEFAULT}, ${own}` } }),
    ]) {
      expect(await customers(daemon)).toHaveLength(4)
      expect(await customers({ ...daemon, secret_key: KEY })).toMatchObject([{ name: 'Eve' }])
    }
  })

  test('loads them only when the database is new', async () => {
    const data = join(folder.path, 'data')
    const first = await started(['--data', data, '--fixtures', DEFAULT])
    await first.stop()
    const second = await started(['--data', data, '--fixtures', 'not-even-there.json'])
    expect(await customers({ ...second, secret_key: String(first.secret_key) })).toHaveLength(4)
    expect(second.log()).toContain('fixtures were not loaded')
    expect(readFileSync(join(data, 'paytwin.db')).includes(String(first.secret_key))).toBe(false)
  })

  test('refuses to start with too many fixtures: exit 2', async () => {
    const large = written('large.json', ' '.repeat(9_000_000))
    expect(await refused('--fixtures', large)).toEqual({
      status: 2,
      stderr: expect.stringContaining('have 9,000,000 bytes; at most 4,194,304 can be loaded at once'),
    })
    const many = written('many.json', { customers: Array.from({ length: 10_001 }, () => ({})) })
    expect(await refused('--fixtures', many)).toEqual({
      status: 2,
      stderr: expect.stringContaining('have 10,001 objects; at most 10,000 can be loaded at once'),
    })
  })

  test('refuses to start with invalid fixtures, and starts with the corrected ones: exit 2', async () => {
    const path = written('shop.json', { customers: [{ ref: 'ada', email: 5 }, { name: '' }] })
    expect(await refused('--fixtures', path)).toEqual({
      status: 2,
      stderr: `error: ${path}: customers[0].email: expected string, received number\n`,
    })
    written('shop.json', { payment_methods: [{ type: 'card', card: { number: '4111111111111111' } }] })
    expect((await refused('--fixtures', path)).stderr).toMatch(
      /payment_methods\[0\]\.card\.number: Only the pub/,
    )
    written('shop.json', '{ "customers": [')
    expect(await refused('--fixtures', path)).toEqual({
      status: 2,
      stderr: `error: ${path}:1:17: expected ']', but the file ends here\n`,
    })
    expect((await refused('--fixtures', 'none.json')).status).toBe(2)
    expect(existsSync(join(folder.path, 'data', 'daemon.json'))).toBe(false)

    written('shop.json', { customers: [{ name: 'Eve' }] })
    expect(
      await customers(await started(['--data', 'data', '--fixtures', path], { cwd: folder.path })),
    ).toMatchObject([{ name: 'Eve' }])
  })

  test('creates the same IDs with the same seed', async () => {
    const ids = async () => {
      const daemon = await started(['--ephemeral', '--seed', '7', '--clock', NOW, '--fixtures', DEFAULT])
      return (await api<List<{ id: string }>>(daemon, '/v1/events?limit=100')).data.map(({ id }) => id)
    }
    expect(await ids()).toEqual(await ids())
  })
})
