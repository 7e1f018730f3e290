import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { type Listed, NOUNS, nameOf, VERBS } from './command-tree.ts'
import { type RunningDaemon, startDaemon, temporaryFolder } from './executable.ts'
import { recordedIo } from './terminal.ts'

/** The commands that call no daemon, start one, or look for one only when they are asked. */
const LOCAL = new Set(['serve', 'start', 'run', 'logs', 'completion', 'webhooks listen', 'mcp'])

const folder = temporaryFolder()
let daemon: RunningDaemon
/** Where a daemon was a moment ago, and no daemon is now. */
let nowhere: string
beforeAll(async () => {
  const gone = await startDaemon()
  await gone.stop()
  nowhere = gone.url
  daemon = await startDaemon()
})
afterAll(async () => {
  await daemon.stop()
  folder.remove()
})

async function outcome(args: readonly string[], env: Record<string, string> = {}) {
  const { io, written } = recordedIo({ env: { PAYTWIN_DATA: folder.path, PAYTWIN_URL: nowhere, ...env } })
  return { status: await run(args, io), ...written }
}

const table = (commands: readonly Listed[]) => commands.map((command) => [nameOf(command), command] as const)
const remote = VERBS.filter((command) => !LOCAL.has(nameOf(command)))
/** The options that a command cannot do without, with a value each. */
const neededBy = ({ command }: Listed, except?: string): readonly string[] =>
  command.options.flatMap(({ mandatory, long }) => (mandatory && long && long !== except ? [long, 'x'] : []))
const exampleOf = ({ examples: [first] }: Listed): readonly string[] => first ?? []

/** Each single-value argument and option, with a call in which it is empty. */
const EMPTY_VALUES = VERBS.flatMap((listed) => {
  const { path, command } = listed
  const args = command.registeredArguments
  const given = args.map(({ argChoices }) => argChoices?.[0] ?? 'x')
  const needed = neededBy(listed)
  return [
    ...args
      .filter(({ variadic }) => !variadic)
      .map((argument) => {
        const index = args.indexOf(argument)
        return [argument.name(), nameOf(listed), [...path, ...needed, ...given.with(index, '')]] as const
      }),
    ...command.options
      .filter(({ required }) => required)
      .map(({ long = '' }) => {
        const call = [...path, ...neededBy(listed, long), long, '', '--', ...given]
        return [long, nameOf(listed), call] as const
      }),
  ]
})

test('commands are found, new ones by themselves', () => {
  expect(remote.map(nameOf)).toEqual(
    expect.arrayContaining(['stop', 'status', 'clock advance', 'keys revoke']),
  )
  expect(NOUNS.map(nameOf)).toEqual(expect.arrayContaining(['clock', 'events', 'keys', 'merchants']))
})

describe('2, wrong usage:', () => {
  test.each(table(VERBS))('%s with an unknown option', async (_name, listed) => {
    const { status, stdout, stderr } = await outcome([
      ...listed.path,
      ...neededBy(listed),
      '--no-such-option',
    ])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain("error: unknown option '--no-such-option'")
  })

  test.each(
    table(VERBS.filter(({ command }) => command.registeredArguments.every(({ variadic }) => !variadic))),
  )('%s with more than it takes', async (_name, listed) => {
    const args = listed.command.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? 'x')
    const { status, stdout, stderr } = await outcome([...listed.path, ...args, 'more', ...neededBy(listed)])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^error: .*too many arguments/)
  })

  test.each(
    table(VERBS.filter(({ command }) => command.registeredArguments.some(({ required }) => required))),
  )('%s without what it needs', async (_name, { path }) => {
    const { status, stdout, stderr } = await outcome(path)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^error: missing required argument/)
  })

  test.each(EMPTY_VALUES)('an empty value for %s of %s', async (name, _command, args) => {
    const { status, stdout, stderr } = await outcome(args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain(name)
  })

  test('an empty name, id or folder is said to be empty', async () => {
    for (const [args, name] of [
      [['status', '--data', ''], '--data'],
      [['stop', '--url', ''], '--url'],
      [['logs', '--data', ''], '--data'],
      [['serve', '--port', ''], '--port'],
      [['start', '--fixtures', 'a.json', ''], '--fixtures'],
      [['snapshots', 'restore', ''], 'NAME'],
      [['snapshots', 'delete', ''], 'NAME'],
      [['customers', 'show', ''], 'ID'],
      [['faults', 'clear', ''], 'ID'],
    ] as const)
      expect(await outcome(args)).toEqual({
        status: 2,
        stdout: '',
        stderr: `error: ${name} must not be empty.\n`,
      })
  })

  test.each(table(VERBS.filter((listed) => neededBy(listed).length > 0)))(
    '%s without an option that it needs',
    async (_name, { path }) => {
      const { status, stdout, stderr } = await outcome(path)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toMatch(/^error: required option/)
    },
  )

  test.each(table(remote))('%s with an invalid URL', async (_name, listed) => {
    const { status, stdout, stderr } = await outcome([...exampleOf(listed), '--url', 'nonsense'])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(/^error: 'nonsense' is not a valid daemon URL/)
  })

  test.each(table(NOUNS))('%s alone, which shows its verbs', async (_name, { path, command }) => {
    const { status, stdout, stderr } = await outcome(path)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    for (const verb of command.commands) expect(stderr).toMatch(new RegExp(`^ {2}${verb.name()} `, 'm'))
  })

  test.each(table(NOUNS))(
    '%s with an unknown verb names the nearest one',
    async (_name, { path, command }) => {
      const [verb] = command.commands
      const mistyped = `${verb?.name()}x`
      const { status, stderr } = await outcome([...path, mistyped])
      expect(status).toBe(2)
      expect(stderr).toContain(`error: unknown command '${mistyped}'\n(Did you mean `)
    },
  )

  test('no arguments at all, which shows all commands', async () => {
    const { status, stdout, stderr } = await outcome([])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    for (const { path } of [...NOUNS, ...VERBS]) expect(stderr).toMatch(new RegExp(`^ {2}${path[0]} `, 'm'))
  })

  test.each([
    ['clokc', 'clock'],
    ['statsu', 'status'],
    ['strat', 'start'],
  ])('%s, which may mean %s', async (mistyped, meant) => {
    const { status, stderr } = await outcome([mistyped])
    expect(status).toBe(2)
    expect(stderr).toMatch(
      new RegExp(`^error: unknown command '${mistyped}'\\n\\(Did you mean .*\\b${meant}\\b`),
    )
  })

  test.each([['help', 'nonsense'], ['help', 'clock', 'nonsense'], ['nonsense']])('%s %s', async (...args) => {
    const { status, stderr } = await outcome(args.filter((arg) => arg !== undefined))
    expect(status).toBe(2)
    expect(stderr).toContain("unknown command 'nonsense'")
  })
})

describe('an error about an argument has no control characters of the argument:', () => {
  const hostile = '\u001b]0;x\u0007\u009b31m\u202e\u2028\nerror: forged'
  const spelled = '\\u001b]0;x\\u0007\\u009b31m\\u202e\\u2028\\u000aerror: forged'
  test.each([
    [[hostile]],
    [['clock', hostile]],
    [['help', hostile]],
    [['status', `--${hostile}`]],
    [['status', hostile]],
    [['logs', '-n', hostile]],
    [['logs', `--limit=${hostile}`]],
    [['logs', `-n${hostile}`]],
    [['logs', `-f${hostile}`]],
    [['logs', `-ff${hostile}`]],
    [['logs', '-ff\nerror: forged']],
    [['completion', hostile]],
    [['clock', 'advance', hostile]],
    [['status', '--url', hostile]],
    [['status', '--data', hostile]],
    [['serve', '--clock', hostile]],
    [['serve', '--oauth-errors', hostile]],
    [['fixtures', 'load', hostile]],
    [['customers', 'show', hostile]],
    [['run', '--clock', hostile, '--', 'true']],
    [['events', 'tail', '--forward-to', hostile]],
  ])('%j', async (args) => {
    const { status, stdout, stderr } = await outcome(args)
    expect([status === 0, stdout]).toEqual([false, ''])
    expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u)
    expect(stderr.split('\n').filter((line) => line.startsWith('error: forged'))).toEqual([])
    if (stderr.includes('forged')) expect(stderr).toContain('\\u000aerror: forged')
    if (args.includes(hostile) && stderr.includes('forged')) expect(stderr).toContain(spelled)
  })
})

describe('3, no daemon answers:', () => {
  test.each(table(remote))('%s', async (_name, listed) => {
    const { status, stdout, stderr } = await outcome(exampleOf(listed))
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' })
    expect(stderr).toMatch(/^error: No paytwin daemon answers at http:\S+ \(ECONNREFUSED\)\. [^\n]*\n$/)
  })

  test('logs, in a folder without a log', async () => {
    expect((await outcome(['logs'])).status).toBe(3)
  })
})

describe('1, the daemon refuses:', () => {
  test.each(table(remote))('%s with a token that is not its own', async (_name, listed) => {
    const env = { PAYTWIN_URL: daemon.url, PAYTWIN_ADMIN_TOKEN: 'x'.repeat(40) }
    const { status, stdout, stderr } = await outcome(exampleOf(listed), env)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^error: Invalid admin token provided\. Set PAYTWIN_ADMIN_TOKEN [^\n]*\n$/)
  })
})

describe('0, done:', () => {
  test.each(table([...VERBS, ...NOUNS]))('%s --help, and help for it', async (_name, { path }) => {
    const { status, stdout, stderr } = await outcome([...path, '--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`Usage: paytwin ${path.join(' ')} `)
    expect(await outcome(['help', ...path])).toEqual({ status, stdout, stderr })
  })

  test.each([['--version'], ['-V'], ['--help'], ['-h'], ['help']])('%s', async (arg) => {
    const { status, stdout, stderr } = await outcome([arg])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).not.toBe('')
  })
})

/** The output of mcp is JSON of a protocol in any case. */
const withResults = VERBS.filter((command) => nameOf(command) !== 'mcp')
test.each(table(withResults))('%s has --json', (_name, { command }) => {
  expect(command.options.map(({ long }) => long)).toContain('--json')
})
