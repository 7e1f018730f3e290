import { execFile, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify, stripVTControlCharacters } from 'node:util'
import { cleanEnvironment, EXECUTABLE } from '../cli/executable.ts'

const run = promisify(execFile)
const PATIENCE_MS = 15_000

/** A shell in a separate terminal, with functions to type and to read the screen. */
export type TmuxTerminal = {
  /** Types keys, by tmux's names: `Enter`, `C-c`, `Up`; other texts as they are. */
  press(...keys: string[]): Promise<void>
  /** Starts `paytwin` with arguments; its exit status is printed when it ends. */
  paytwin(...args: string[]): Promise<void>
  /** Returns the lines of the screen. */
  lines(options?: Look): Promise<string[]>
  /** Waits until the screen shows a text. @returns the lines */
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
  const given = Object.entries({ PS1: '$ ', ...env }).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  const size = ['-x', String(columns), '-y', String(rows)]
  const { tmux, changed, ended } = startTmux(...size, ...given, 'bash', '--norc', '--noprofile')
  const terminal: TmuxTerminal = {
    press: async (...keys) => {
      await tmux('send-keys', '-t', 't', ...keys)
    },
    paytwin: (...args) =>
      terminal.press(`${process.execPath} ${EXECUTABLE} ${args.join(' ')}; echo "status $?"`, 'Enter'),
    lines: ({ colours = false } = {}) =>
      tmux('capture-pane', '-p', ...(colours ? ['-e', '-N'] : []), '-t', 't'),
    shows: async (wanted, options) => {
      for (const patience = delay(PATIENCE_MS, 'over', { ref: false }); ; ) {
        const change = changed()
        const lines = await terminal.lines(options)
        const text = stripVTControlCharacters(lines.join('\n'))
        if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) return lines
        if ((await Promise.race([change, patience])) === 'over') {
          throw new Error(`the screen never showed ${wanted}, but:\n${text}`)
        }
      }
    },
    resize: async (x, y) => {
      await tmux('resize-window', '-t', 't', '-x', String(x), '-y', String(y))
    },
    variable: async (name) => (await tmux('display-message', '-p', '-t', 't', `#{${name}}`)).join('\n'),
    signal: async (name) => {
      const { stdout } = await run('pgrep', ['-P', await terminal.variable('pane_pid')])
      process.kill(Number(stdout.trim()), name)
    },
    close: async () => {
      // The server may end before it replies.
      await Promise.allSettled([tmux('kill-server'), ended])
    },
  }
  await terminal.shows('$')
  return terminal
}

/**
 * Starts a server of tmux with one session, and a client in control mode: it takes commands on stdin, and reports each output of the
 * terminal. A process for each command and a poll of the screen would take several times the processor time.
 */
function startTmux(...session: string[]) {
  terminals += 1
  const server = ['-u', '-L', `paytwin-test-${process.pid}-${terminals}`, '-f', '/dev/null']
  const client = spawn('tmux', [...server, '-C', 'new-session', '-s', 't', ...session], {
    env: cleanEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const replies: { resolve(lines: string[]): void; reject(error: Error): void }[] = []
  const changes = new EventEmitter()
  const ended = once(client, 'close')
  const lost = ended.then((): never => {
    throw new Error('tmux has ended')
  })
  // Until then, commands have no session to run in.
  const attached = Promise.race([once(changes, 'attached'), lost])
  let reply: string[] | undefined
  createInterface(client.stdout).on('line', (line) => {
    // The last number is 1 for commands from stdin: the first reply is that of new-session.
    const [, edge] = /^%(begin|end|error) \d+ \d+ 1$/.exec(line) ?? []
    if (edge === 'begin') reply = []
    else if (reply === undefined) changes.emit(line.startsWith('%session-changed') ? 'attached' : 'change')
    else if (edge === undefined) reply.push(line)
    else {
      if (edge === 'end') replies.shift()?.resolve(reply)
      else replies.shift()?.reject(new Error(`tmux: ${reply.join(' ')}`))
      reply = undefined
    }
  })
  return {
    tmux: async (...words: string[]): Promise<string[]> => {
      await attached
      client.stdin.write(`${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}\n`)
      const replied = new Promise<string[]>((resolve, reject) => replies.push({ resolve, reject }))
      return Promise.race([replied, lost])
    },
    /** Resolves with the next output of the terminal. */
    changed: () => once(changes, 'change'),
    ended,
  }
}
