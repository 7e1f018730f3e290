import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify, stripVTControlCharacters } from 'node:util'
import { cleanEnvironment, EXECUTABLE } from '../cli/executable.ts'

const run = promisify(execFile)
/** Each look starts a process. */
const LOOK_EVERY_MS = 60
const PATIENCE_MS = 15_000

/** A shell in a separate terminal, with functions to type and to read the screen. */
export type TmuxTerminal = {
  /** Types keys, by tmux's names: `Enter`, `C-c`, `Up`; other texts as they are. */
  press(...keys: string[]): Promise<void>
  /** Starts `paytwin` with arguments; its exit status is printed when it ends. */
  paytwin(...args: string[]): Promise<void>
  /** Returns the lines of the screen. */
  lines(options?: Look): Promise<string[]>
  /** Polls the screen until it shows a text, because a terminal does not report changes. @returns the lines */
  shows(wanted: string | RegExp, options?: Look): Promise<string[]>
  resize(columns: number, rows: number): Promise<void>
  /** One of tmux's variables of this terminal. */
  variable(name: string): Promise<string>
  /** Sends a signal to what the shell runs. */
  signal(name: string): Promise<void>
  close(): Promise<void>
}

/** With the codes of colours come the blanks at the ends of lines, which may have a colour behind them. */
type Look = { readonly colours?: boolean }

let terminals = 0

export async function openTerminal({
  columns,
  rows,
  env,
}: {
  columns: number
  rows: number
  env: Readonly<Record<string, string>>
}): Promise<TmuxTerminal> {
  terminals += 1
  const server = `paytwin-test-${process.pid}-${terminals}`
  const tmux = async (...args: string[]) =>
    (await run('tmux', ['-u', '-L', server, '-f', '/dev/null', ...args], { env: cleanEnvironment() })).stdout
  const size = ['-x', String(columns), '-y', String(rows)]
  const given = Object.entries({ PS1: '$ ', ...env }).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  await tmux('new-session', '-d', '-s', 't', ...size, ...given, 'bash', '--norc', '--noprofile')
  const terminal: TmuxTerminal = {
    press: async (...keys) => {
      await tmux('send-keys', '-t', 't', ...keys)
    },
    paytwin: (...args) =>
      terminal.press(`${process.execPath} ${EXECUTABLE} ${args.join(' ')}; echo "status $?"`, 'Enter'),
    lines: async ({ colours = false } = {}) =>
      (await tmux('capture-pane', '-p', ...(colours ? ['-e', '-N'] : []), '-t', 't'))
        .replace(/\n$/, '')
        .split('\n'),
    shows: async (wanted, options) => {
      for (const end = performance.now() + PATIENCE_MS; ; await delay(LOOK_EVERY_MS)) {
        const lines = await terminal.lines(options)
        const text = stripVTControlCharacters(lines.join('\n'))
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return lines
        if (performance.now() > end) throw new Error(`the screen never showed ${wanted}, but:\n${text}`)
      }
    },
    resize: async (x, y) => {
      await tmux('resize-window', '-t', 't', '-x', String(x), '-y', String(y))
    },
    variable: async (name) => (await tmux('display-message', '-p', '-t', 't', `#{${name}}`)).trim(),
    signal: async (name) => {
      const { stdout } = await run('pgrep', ['-P', await terminal.variable('pane_pid')])
      process.kill(Number(stdout.trim()), name)
    },
    close: async () => {
      await tmux('kill-server')
    },
  }
  await terminal.shows('$')
  return terminal
}
