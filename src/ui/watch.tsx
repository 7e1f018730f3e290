import { render } from 'ink'
import type { Client } from '../client/client.ts'
import type { StreamNews, StreamStart } from '../client/event-stream.ts'
import type { Event } from '../client/types.ts'
import { App } from './app.tsx'
import { watchClocks } from './clock-watch.ts'
import type { Command } from './command.ts'
import { CustomerWatch } from './customer-watch.ts'
import { Display } from './display.ts'
import { watchIgnored } from './ignored-watch.ts'
import { readKeys } from './keyboard.ts'
import { layoutEngine } from './layout-engine.ts'
import { perform } from './perform.ts'
import { Screen } from './screen.ts'
import { startingState, type Watched } from './state.ts'
import { Store } from './state-store.ts'
import type { Action } from './step.ts'
import { type Frame, view } from './view.ts'
import { viewSources } from './view-sources.ts'

/** A terminal for input and output. */
export type Terminal = { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream }

/** The forwarding of events to another URL while the UI runs. */
type Forward = {
  readonly url: string
  readonly secret: string
  /** Forwards events until the signal aborts. Reports why an event was not accepted, or null if it was. */
  readonly run: (onForwarded: (failure: string | null) => void, until: AbortSignal) => Promise<void>
}

export type Watching = {
  readonly client: Client
  readonly beginning: StreamStart
  readonly watched: Watched
  /** The events before the beginning, oldest first, which are shown at once. */
  readonly history: readonly Event[]
  readonly terminal: Terminal
  readonly isColoured: boolean
  readonly forward: Forward | null
  readonly signal: AbortSignal
}

/**
 * Runs the terminal UI until the user quits or the signal aborts. The terminal is restored in every case.
 * @throws Refused if the daemon refuses the stream
 * See docs/contract/terminal-ui.md#screen.
 */
export async function watchEvents(watching: Watching): Promise<void> {
  const { terminal, signal } = watching
  await layoutEngine
  if (signal.aborted) return
  const screen = new Screen(terminal.stdout)
  const leave = () => {
    screen.leave()
    terminal.stdin.setRawMode(false)
  }
  // The terminal is also restored if the process dies of an internal error.
  process.once('exit', leave)
  const ended = new AbortController()
  const end = () => ended.abort()
  signal.addEventListener('abort', end, { once: true })
  screen.enter()
  try {
    await show(watching, screen, ended)
  } finally {
    end()
    leave()
    signal.removeEventListener('abort', end)
    process.off('exit', leave)
  }
}

async function show(watching: Watching, screen: Screen, ended: AbortController): Promise<void> {
  const { client, beginning, history, forward, terminal, isColoured } = watching
  const { signal } = ended
  const errors = new BackgroundErrors()
  const commanded = (command: Command) => {
    if (command.do === 'quit') return ended.abort()
    if (command.do === 'redraw') return drawWhole()
    if (command.do === 'show') return sources.show(command.view)
    perform(client, command, signal)
      .then(dispatch, errors.report)
      .finally(() => clocks.poll())
    clocks.poll()
  }
  const store = new Store(startingState({ ...sizeOf(screen), ...watching }), {
    commanded,
    changed: () => display.request(),
    failed: errors.report,
  })
  const { dispatch } = store
  const laidOut = (frame: Frame) => <App frame={frame} {...sizeOf(screen)} />
  const display = new Display({
    isColoured,
    begin: () => {
      dispatch({ kind: 'drawing' })
      return store.state
    },
    layOut: (frame) => ink.rerender(laidOut(frame)),
    paintLine: (row, line) => screen.paintLine(row, line),
    failed: errors.report,
  })
  const drawWhole = () => {
    screen.forget()
    display.forget()
  }
  const { merchant } = beginning
  const customers = new CustomerWatch({
    client,
    merchant,
    signal,
    isKnown: (id) => store.state.customers.has(id),
    onCustomers: (read) => dispatch({ kind: 'customers', customers: read }),
    failed: errors.report,
  })
  const sources = viewSources(client, merchant, { signal, dispatch, failed: errors.report })
  dispatch({ kind: 'history', events: history })
  customers.want(history)
  const clocks = watchClocks(client, merchant, {
    signal,
    onClocks: (seen) => dispatch({ kind: 'clocks', clocks: seen }),
    failed: errors.report,
  })
  const ink = render(laidOut(view(store.state, { isColoured })), inkOptions(terminal, screen))
  const resized = () => {
    drawWhole()
    dispatch({ kind: 'resized', ...sizeOf(screen) })
  }
  terminal.stdout.on('resize', resized)
  const stopReading = readKeys(terminal.stdin, (key) => dispatch({ kind: 'key', key }))
  try {
    await Promise.race([
      follow(client, beginning, signal, (action) => {
        clocks.pollSoon()
        sources.pollSoon()
        dispatch(action)
        if (action.kind === 'arrived') customers.want(action.events)
        if (action.kind === 'reset') customers.forget()
      }),
      watchIgnored(client, beginning.merchant, {
        signal,
        onIgnored: (request) => dispatch({ kind: 'ignored', request }),
      }),
      forward?.run((failure) => dispatch({ kind: 'forwarded', failure }), signal) ?? abortion(signal),
      ink.waitUntilExit(),
      errors.reported,
      abortion(signal),
    ])
  } finally {
    stopReading()
    terminal.stdout.off('resize', resized)
    display.end()
    ink.unmount()
  }
}

/** Collects internal errors from callbacks, where nothing could catch them. */
class BackgroundErrors {
  report: (error: unknown) => void = () => undefined
  readonly reported = new Promise<never>((_, reject) => {
    this.report = reject
  })
}

const abortion = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** In its debug mode Ink writes each frame as a whole, as the screen expects it. */
const inkOptions = ({ stdin, stdout }: Terminal, screen: Screen) => ({
  stdin,
  stdout: screen as unknown as typeof stdout,
  debug: true,
  exitOnCtrlC: false,
  patchConsole: false,
  isScreenReaderEnabled: false,
})

const sizeOf = ({ columns, rows }: Screen) => ({ columns, rows })

/** Applies the items of a stream to the state until the signal aborts. Events that arrive together are applied together. */
async function follow(
  client: Client,
  beginning: StreamStart,
  signal: AbortSignal,
  dispatch: (action: Action) => void,
): Promise<void> {
  let arrived: Event[] = []
  const flush = () => {
    const events = arrived
    arrived = []
    if (events.length > 0) dispatch({ kind: 'arrived', events })
  }
  const onStatus = (news: StreamNews) => {
    flush()
    if (news === 'reset') dispatch({ kind: 'reset' })
    else dispatch({ kind: 'connection', connection: news === 'lost' ? 'lost' : 'connected' })
  }
  for await (const event of client.followEvents(beginning, { signal, onStatus })) {
    if (arrived.push(event) === 1) setImmediate(flush)
  }
}
