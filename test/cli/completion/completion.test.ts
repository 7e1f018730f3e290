import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../../src/cli/program.ts'
import { temporaryFolder } from '../executable.ts'
import { recordedIo } from '../terminal.ts'

const folder = temporaryFolder()
const script = (shell: string) => join(folder.path, `completion.${shell}`)

const IDS = `#!/bin/sh
case "$1 $2" in
  'ids keys') printf 'key_1\\nkey_2\\n' ;;
  'ids merchants') echo mer_1; echo 'mer_$(id)' ;;
  'ids subscriptions') echo sub_1 ;;
esac
`

beforeAll(async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { io, written } = recordedIo()
    expect(await run(['completion', shell], io)).toBe(0)
    writeFileSync(script(shell), written.stdout)
  }
  mkdirSync(join(folder.path, 'work'))
  mkdirSync(join(folder.path, 'work', 'a-folder'))
  writeFileSync(join(folder.path, 'work', 'a-file.json'), '')
  // A replacement of the program, which would call a daemon.
  mkdirSync(join(folder.path, 'bin'))
  writeFileSync(join(folder.path, 'bin', 'paytwin'), IDS, { mode: 0o755 })
})
afterAll(() => folder.remove())

function shell(command: string, args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(command, args, {
    cwd: join(folder.path, 'work'),
    encoding: 'utf8',
    env: {
      ...process.env,
      HOME: folder.path,
      TERM: 'dumb',
      PATH: `${join(folder.path, 'bin')}:${process.env.PATH}`,
    },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
}

const isThere = (command: string) => spawnSync(command, ['--version']).status === 0

/** Returns the completions of each shell for the last word of a line. */
const OFFERS: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(' ')
    const ask = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _paytwin; printf '%s\\n' "\${COMPREPLY[@]}"`
    return listed(shell('bash', ['--norc', '-c', ask, 'bash', script('bash'), ...words]))
  },
  fish: (line) => {
    const ask = `source $argv[1]; complete -C $argv[2]`
    const offered = listed(shell('fish', ['--no-config', '-c', ask, script('fish'), line]))
    return offered.map((offer) => (offer.split('\t')[0] ?? '').replace(/\/$/, ''))
  },
  zsh: (line) => zshOffers(line),
}

const listed = (text: string): string[] => text.split('\n').filter((word) => word !== '')

/** Runs zsh on a pseudo-terminal, where Tab prints the completions. */
function zshOffers(line: string): string[] {
  const inner = `
    autoload -Uz compinit; compinit -u -D
    source ${script('zsh')}
    compadd() {
      local -a offered; builtin compadd -O offered "$@"
      (( \${#offered} )) && print -r -- "offer:\${(j:,:)offered}"
      builtin compadd "$@"
    }
    PROMPT=; unsetopt zle_bracketed_paste; zstyle ':completion:*' list-prompt ''
    say-done() { print -r -- 'all offered' }; zle -N say-done; bindkey '^I' complete-word '^G' say-done
    print ready`
  writeFileSync(join(folder.path, 'inner.zsh'), inner)
  const ask = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "stty -echo; source ${join(folder.path, 'inner.zsh')}"
    zpty -r -m shell said '*ready*'
    zpty -w -n shell $'${line}\\t\\a'
    zpty -r -m shell said '*all offered*'
    print -r -- $said
    zpty -d shell`
  const said = shell('zsh', ['-f', '-c', ask]).replaceAll('\r', '\n')
  // zsh calls the completion function several times, with and without correction of mistakes.
  return [...new Set(listed(said).flatMap((text) => /^.*offer:(.*)$/.exec(text)?.[1]?.split(',') ?? []))]
}

const CASES: readonly [line: string, offers: readonly string[]][] = [
  ['paytwin cl', ['clock']],
  ['paytwin clock ad', ['advance']],
  ['paytwin clock advance --to', ['--to', '--to-next']],
  ['paytwin clock advance 1mo --stop-on invoice.pai', ['invoice.paid']],
  ['paytwin trigger subscription.tr', ['subscription.trial_will_end']],
  ['paytwin trigger customer.subscription.pa', ['customer.subscription.paused']],
  ['paytwin trigger checkout.session.c', ['checkout.session.completed']],
  ['paytwin serve --strict-params --log-level wa', ['warn']],
  ['paytwin start --durability ', ['full', 'normal']],
  ['paytwin serve --clock ', ['live']],
  ['paytwin serve --data a-', ['a-folder']],
  ['paytwin serve --admin-token-file a-fi', ['a-file.json']],
  ['paytwin completion ', ['bash', 'fish', 'zsh']],
  ['paytwin keys revoke key_', ['key_1', 'key_2']],
  ['paytwin clock advance --merchant ', ['mer_$(id)', 'mer_1']],
  ['paytwin subscriptions show sub_', ['sub_1']],
  ['paytwin invoices list --subscription ', ['sub_1']],
  ['paytwin ids cust', ['customers']],
  ['paytwin faults add ', []],
]

const shells = Object.keys(OFFERS).filter((name) => name === 'bash' || isThere(name))

describe.each(shells)('%s completes', (name) => {
  test.each(CASES)('%j', (line, offers) => {
    expect((OFFERS[name]?.(line) ?? []).toSorted()).toEqual(offers)
  })

  test('every command', () => {
    const offered = OFFERS[name]?.('paytwin ') ?? []
    expect(offered).toEqual(expect.arrayContaining(['serve', 'start', 'stop', 'run', 'clock', 'completion']))
    expect(offered).not.toContain('help')
  })

  test('a command of the system, to run', () => {
    expect(OFFERS[name]?.('paytwin run -- mkdi')).toContain('mkdir')
  })
})

test.each([[['completion']], [['completion', 'tcsh']], [['completion', 'bash', 'zsh']]])(
  '%j is wrong usage: exit 2',
  async (args) => {
    const { io, written } = recordedIo()
    expect(await run(args, io)).toBe(2)
    expect(written.stdout).toBe('')
  },
)

test('with --json the script is in an object', async () => {
  const { io, written } = recordedIo()
  await run(['completion', 'fish', '--json'], io)
  expect(JSON.parse(written.stdout)).toMatchObject({ object: 'completion', shell: 'fish' })
})
