import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  cleanEnvironment,
  EXECUTABLE,
  type Finished,
  lines,
  paytwin,
  start,
  startDaemon,
  temporaryFolder,
} from '../executable.ts'

let folder: ReturnType<typeof temporaryFolder>
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

/** Runs JavaScript as the command, in an empty folder. */
const runNode = (
  script: string,
  options: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Finished> =>
  paytwin(['run', ...options, '--', process.execPath, '-e', script], { cwd: folder.path, env })

/** The folder that paytwin creates for this user where TMPDIR is the test's folder. */
const userFolder = () => join(folder.path, `paytwin-${process.geteuid?.()}`)

type Unusable = readonly [title: string, plant: (path: string) => void, reason: RegExp]

/** What can be in place of that folder. Only root can create the last one. */
const UNUSABLE: readonly Unusable[] = [
  ['is a link', (path) => symlinkSync(mkdtempSync(`${path}-`), path), /it is a symbolic link/],
  ['is a file', (path) => writeFileSync(path, ''), /it is not a folder/],
  ['is open', (path) => mkdirWith(path, { mode: 0o711 }), /it is open to its group or other users/],
  [
    'belongs to another user',
    (path) => mkdirWith(path, { mode: 0o700, owner: 4242 }),
    /it belongs to another user \(4242; this is 0\)/,
  ],
]

function mkdirWith(path: string, { mode, owner }: { mode: number; owner?: number }): void {
  mkdirSync(path)
  chmodSync(path, mode)
  if (owner !== undefined) chownSync(path, owner, owner)
}

/** Prints its process id, and lives until it is killed. */
const LIVE = 'console.log(process.pid); setInterval(() => {}, 1_000)'

const PRINT_ADDRESS =
  'const { PAYTWIN_URL, PAYTWIN_SECRET_KEY, PAYTWIN_ADMIN_TOKEN } = process.env;' +
  'console.log(JSON.stringify({ PAYTWIN_URL, PAYTWIN_SECRET_KEY, PAYTWIN_ADMIN_TOKEN }))'

describe('the command', () => {
  test('has a working URL, key and token in its environment', async () => {
    const script = `
      const { PAYTWIN_URL: url, PAYTWIN_SECRET_KEY: key, PAYTWIN_ADMIN_TOKEN: token } = process.env
      const status = async (path, secret) =>
        (await fetch(url + path, { headers: { authorization: 'Bearer ' + secret } })).status
      Promise.all([status('/v1/customers', key), status('/_paytwin/status', token)]).then(console.log)`
    expect(await runNode(script)).toEqual({ status: 0, stderr: '', stdout: '[ 200, 200 ]\n' })
  })

  test('gets a configured key and token', async () => {
    const secret = `sk_test_${'c'.repeat(24)}`
    const token = 't'.repeat(32)
    const env = { PAYTWIN_SECRET_KEY: secret, PAYTWIN_ADMIN_TOKEN: token }
    expect(JSON.parse((await runNode(PRINT_ADDRESS, [], env)).stdout)).toMatchObject(env)
    writeFileSync(join(folder.path, 'token'), `${token}\n`)
    const options = ['--admin-token-file', 'token', '--secret-key', secret]
    expect(JSON.parse((await runNode(PRINT_ADDRESS, options)).stdout)).toMatchObject(env)
  })

  test('gets a token that comes from a pipe', async () => {
    execFileSync('mkfifo', [join(folder.path, 'pipe')])
    const writer = spawn('sh', ['-c', `printf %s ${'t'.repeat(32)} >'${join(folder.path, 'pipe')}'`])
    const { stdout } = await runNode(PRINT_ADDRESS, ['--admin-token-file', 'pipe'])
    expect(JSON.parse(stdout)).toMatchObject({ PAYTWIN_ADMIN_TOKEN: 't'.repeat(32) })
    writer.kill()
  })

  test('can be paytwin itself, whatever the environment has', async () => {
    const script = `process.exit(require('child_process').spawnSync(process.execPath, [process.argv[1], 'status'], { stdio: 'inherit' }).status)`
    const { status, stdout } = await paytwin(
      ['run', '--clock', '2026-01-31', '--', process.execPath, '-e', script, EXECUTABLE],
      { cwd: folder.path, env: { PAYTWIN_DATA: '/nowhere/at/all' } },
    )
    expect(status).toBe(0)
    expect(stdout).toContain('data: in memory')
    expect(stdout).toContain('2026-01-31T00:00:00Z\tfrozen')
  })

  test('keeps its own options, also without --', async () => {
    const echo = ['-p', 'JSON.stringify(process.argv.slice(1))', '--', '--json', '--port', 'x']
    for (const dashes of [['--'], []]) {
      const { status, stdout } = await paytwin(['run', ...dashes, process.execPath, ...echo])
      expect({ status, stdout }).toEqual({ status: 0, stdout: '["--json","--port","x"]\n' })
    }
  })

  test('has the streams of this process', async () => {
    const child = start(['run', '--', process.execPath, '-e', 'process.stdin.pipe(process.stdout)'])
    child.stdin.end('through and through')
    let said = ''
    child.stdout.on('data', (chunk) => (said += chunk))
    expect(await once(child, 'close')).toEqual([0, null])
    expect(said).toBe('through and through')
  })

  test.each([0, 1, 2, 3, 42, 255])('decides the exit status: %d', async (status) => {
    expect(await runNode(`process.exit(${status})`)).toEqual({ status, stdout: '', stderr: '' })
  })

  test.each(['SIGKILL', 'SIGTERM', 'SIGABRT'] as const)(
    'that %s ends makes it 128 and the number',
    async (signal) => {
      const { status } = await runNode(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`)
      expect(status).toBe(128 + constants.signals[signal])
    },
  )

  test('that is not found exits with 127 and an error', async () => {
    expect(await paytwin(['run', '--', 'no-such-command', 'x'])).toEqual({
      status: 127,
      stdout: '',
      stderr: "error: Command 'no-such-command' was not found. Give a command on the PATH, or a path.\n",
    })
  })

  test('that is empty is not found either', async () => {
    const { status, stderr } = await paytwin(['run', '--', ''])
    expect({ status, stderr }).toEqual({
      status: 127,
      stderr: "error: Command '' was not found. Give a command on the PATH, or a path.\n",
    })
  })

  test('that cannot be run exits with 126', async () => {
    const file = join(folder.path, 'file')
    writeFileSync(file, 'x')
    chmodSync(file, 0o600)
    const { status, stderr } = await paytwin(['run', '--', file])
    expect(status).toBe(126)
    expect(stderr).toMatch(/^error: Command '.*file' cannot be run: .*\n$/)
  })
})

describe('the daemon', () => {
  test('ends with the command, and leaves nothing behind', async () => {
    const { PAYTWIN_URL } = JSON.parse((await runNode(PRINT_ADDRESS)).stdout)
    await expect(fetch(PAYTWIN_URL)).rejects.toThrow()
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('logs only warnings to stderr by default', async () => {
    const unknown = `fetch(process.env.PAYTWIN_URL + '/v1/customers?zebra=1', { headers: { authorization: 'Bearer ' + process.env.PAYTWIN_SECRET_KEY } })`
    const lenient = '--no-strict-params'
    expect((await runNode(unknown, [lenient])).stderr).toMatch(/ WARN {2}.*zebra/)
    expect((await runNode(unknown, [lenient, '--log-level', 'error'])).stderr).toBe('')
    const { stderr } = await runNode(unknown, [lenient, '--json'])
    expect(JSON.parse(stderr)).toMatchObject({ level: 'warn', params: 'zebra' })
  })

  test('refuses unknown parameters, unless an option or a variable allows them', async () => {
    const unknown = `fetch(process.env.PAYTWIN_URL + '/v1/customers?zebra=1', { headers: { authorization: 'Bearer ' + process.env.PAYTWIN_SECRET_KEY } }).then(({ status }) => console.log(status))`
    expect((await runNode(unknown)).stdout).toBe('400\n')
    expect((await runNode(unknown, ['--no-strict-params'])).stdout).toBe('200\n')
    const variable = { PAYTWIN_STRICT_PARAMS: '0' }
    expect((await runNode(unknown, [], variable)).stdout).toBe('200\n')
    expect((await runNode(unknown, ['--strict-params'], variable)).stdout).toBe('400\n')
  })

  test('keeps its data in a folder with --keep, and says how to open it', async () => {
    const env = { TMPDIR: folder.path }
    const script = `
      const { PAYTWIN_URL: url, PAYTWIN_SECRET_KEY: key, PAYTWIN_ADMIN_TOKEN: token } = process.env
      const ask = (path, secret, method) =>
        fetch(url + path, { method, headers: { authorization: 'Bearer ' + secret } })
      ask('/v1/customers', key, 'POST').then(() => ask('/_paytwin/status', token)).then(({ status }) => process.exit(status === 200 ? 7 : 1))`
    const { status, stderr } = await runNode(script, ['--keep'], env)
    expect(status).toBe(7)
    const [name = ''] = readdirSync(folder.path)
    const kept = join(folder.path, name)
    expect(stderr).toContain(
      `The data is in ${kept}. To inspect it:\n  paytwin start --data ${kept} --port 0\n`,
    )
    expect((await paytwin(['start', '--data', kept, '--port', '0'])).status).toBe(0)
    expect((await paytwin(['events', 'list', '--data', kept])).stdout).toContain('customer.created')
    expect((await paytwin(['stop', '--data', kept])).status).toBe(0)
  })

  test('gives the command its own umask, and keeps its data for its owner', async () => {
    const before = process.umask(0o777)
    try {
      const { status, stdout } = await runNode('console.log(process.umask())', ['--keep', '--shift-date'], {
        TMPDIR: folder.path,
      })
      expect([status, stdout]).toEqual([0, `${0o777}\n`])
    } finally {
      process.umask(before)
    }
    const name = readdirSync(folder.path).find((each) => each.startsWith('paytwin-run-')) ?? ''
    const modes = ['.', 'paytwin.db', 'admin-token'].map((file) => {
      const { mode } = statSync(join(folder.path, name, file))
      return (mode & 0o777).toString(8)
    })
    expect(modes).toEqual(['700', '600', '600'])
  })

  test('removes the folders of killed runs, and no others', async () => {
    const env = { TMPDIR: folder.path }
    const run = start(['run', '--shift-date', '--', process.execPath, '-e', LIVE], { cwd: folder.path, env })
    const said = lines(run.stdout)
    const pid = Number(await said.next())
    run.kill('SIGKILL')
    await once(run, 'exit')
    process.kill(pid)
    const parent = userFolder()
    const [left = '', ...others] = readdirSync(parent)
    expect([left, others]).toEqual([expect.stringMatching(/^paytwin-run-shared-/), []])
    const owner = readFileSync(join(parent, left, 'owner'), 'utf8')
    const make = (name: string, content: string) => {
      mkdirSync(join(parent, name))
      writeFileSync(join(parent, name, 'owner'), content)
      return name
    }
    const kept = [
      make('paytwin-run-shared-ALIVE1', owner.replace(/\d+/, String(process.pid))),
      make('paytwin-run-shared-ELSEW1', owner.replace('"machine":"', '"machine":"other ')),
      make('paytwin-run-shared-OTHER1', 'not an owner'),
    ]
    symlinkSync(left, join(parent, 'paytwin-run-shared-LINKED'))
    expect((await runNode('1', ['--shift-date'], env)).status).toBe(0)
    expect(readdirSync(parent).sort()).toEqual([...kept, 'paytwin-run-shared-LINKED'].sort())
  })

  test('leaves the names of its files in a folder that is closed to other users', async () => {
    chmodSync(folder.path, 0o1777)
    const print = 'console.log(process.env.PAYTWIN_DATE_FILE)'
    const { stdout } = await runNode(print, ['--shift-date'], { TMPDIR: folder.path })
    const file = stdout.trim()
    expect(existsSync(dirname(file))).toBe(false)
    expect(dirname(dirname(file))).toBe(realpathSync(userFolder()))
    const { mode, uid } = statSync(userFolder())
    expect([mode & 0o777, uid]).toEqual([0o700, process.geteuid?.()])
  })

  test.each(process.geteuid?.() === 0 ? UNUSABLE : UNUSABLE.slice(0, -1))(
    "refuses --shift-date where the user's folder %s",
    async (_, plant, reason) => {
      plant(userFolder())
      const before = readdirSync(folder.path, { recursive: true })
      const { status, stdout, stderr } = await runNode('console.log(1)', ['--shift-date'], {
        TMPDIR: folder.path,
      })
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(reason)
      expect(stderr).toMatch(
        /^error: The folder for the command's processes cannot be created in \S+: \S+ cannot be used: .*\. Set TMPDIR to a folder that only you can write\n$/,
      )
      expect(readdirSync(folder.path, { recursive: true })).toEqual(before)
    },
  )

  test('quotes the folder of --keep for a shell', async () => {
    const parent = join(folder.path, "Ada's $(id) \u001b[31m")
    mkdirSync(parent)
    const { stderr } = await runNode('1', ['--keep'], { TMPDIR: parent })
    expect(stderr).not.toContain('\u001b')
    const [, command = ''] = /^ {2}paytwin events list --data (.*)$/m.exec(stderr) ?? []
    expect(execFileSync('bash', ['-c', `printf %s ${command}`], { encoding: 'utf8' })).toBe(
      join(parent, ...readdirSync(parent)),
    )
  })

  test.each(['--keep', '--shift-date'])(
    'refuses %s where another user could replace its folder',
    async (option) => {
      const parent = join(folder.path, 'shared')
      mkdirSync(parent)
      chmodSync(parent, 0o777)
      const { status, stdout, stderr } = await runNode('console.log(1)', [option], { TMPDIR: parent })
      expect([status, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        /^error: The folder .* cannot be created in \S+: its group or other users can write \S+, which has no sticky bit\. Set TMPDIR to a folder that only you can write\n$/,
      )
      expect(readdirSync(parent)).toEqual([])
    },
  )

  test('refuses --keep without a folder for temporary files', async () => {
    const { status, stderr } = await runNode('1', ['--keep'], { TMPDIR: join(folder.path, 'none') })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^error: The folder for --keep cannot be created in \S+: ENOENT.*\n$/)
  })

  test('that does not start keeps no folder', async () => {
    const env = { TMPDIR: folder.path }
    expect((await runNode('1', ['--keep', '--secret-key', 'short'], env)).status).toBe(2)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('that finds a full disk leaves no folder', () => {
    const script = 'ulimit -f 0 && exec "$0" "$1" run --keep --shift-date -- true'
    const env = { ...cleanEnvironment(), TMPDIR: folder.path }
    expect(() =>
      execFileSync('sh', ['-c', script, process.execPath, EXECUTABLE], {
        encoding: 'utf8',
        stdio: 'pipe',
        env,
      }),
    ).toThrow(expect.objectContaining({ status: 1, stderr: expect.stringContaining('EFBIG') }))
    expect(readdirSync(folder.path, { recursive: true })).toEqual([basename(userFolder())])
  })

  test('listens on a given port', async () => {
    const { url, stop } = await startDaemon()
    await stop()
    const { port } = new URL(url)
    expect(JSON.parse((await runNode(PRINT_ADDRESS, ['--port', port])).stdout)).toMatchObject({
      PAYTWIN_URL: url,
    })
  })

  test('that does not start runs no command', async () => {
    const taken = await startDaemon()
    const { port } = new URL(taken.url)
    expect(await runNode('console.log(1)', ['--port', port])).toMatchObject({ status: 1, stdout: '' })
    expect(await runNode('console.log(1)', ['--clock', 'soon'])).toMatchObject({ status: 2, stdout: '' })
    await taken.stop()
  })

  test.each([['--data', 'x'], ['--ephemeral']])(
    'has no option %s: it is always in memory',
    async (...option) => {
      expect(
        await runNode(
          '1',
          option.filter((word) => word !== undefined),
        ),
      ).toMatchObject({ status: 2, stdout: '' })
    },
  )
})

describe('a signal', () => {
  /** Prints when it is ready, and each signal. Exits with 7 at the second signal. */
  const PATIENT = `
    let count = 0
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {
      console.log(signal)
      if (++count === 2) process.exit(7)
    })
    setInterval(() => {}, 1000)
    console.log(process.env.PAYTWIN_URL)`

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s is passed on, and the command decides',
    async (signal) => {
      const child = start(['run', '--', process.execPath, '-e', PATIENT], { cwd: folder.path })
      const said = lines(child.stdout)
      const url = (await said.next()) ?? ''
      const closed = once(child, 'close')
      child.kill(signal)
      expect(await said.next()).toBe(signal)
      expect((await fetch(`${url}/_paytwin/health`)).status).toBe(200)
      child.kill(signal)
      expect(await said.next()).toBe(signal)
      expect(await closed).toEqual([7, null])
      await expect(fetch(url)).rejects.toThrow()
    },
  )

  test('that the command does not catch ends both', async () => {
    const child = start(['run', '--', process.execPath, '-e', `setInterval(() => {}, 1000);${PRINT_ADDRESS}`])
    const { PAYTWIN_URL } = JSON.parse((await lines(child.stdout).next()) ?? '')
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    expect(await closed).toEqual([128 + constants.signals.SIGTERM, null])
    await expect(fetch(PAYTWIN_URL)).rejects.toThrow()
  })
})
