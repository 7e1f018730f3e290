import { internalError } from '../../core/errors.ts'
import { runAfterAccepting } from './arrivals.ts'
import { type Clock, stopwatch } from './clock.ts'
import { Gate, nextTurn } from './gate.ts'
import type { Listeners } from './listeners.ts'
import { absenceOf, type MerchantState, type Waiting } from './merchant-state.ts'
import { Pauses } from './pauses.ts'
import { Reservations } from './reservations.ts'
import type { Steps } from './steps.ts'
import type { Timekeeper } from './timekeeper.ts'
import type { Transactions } from './transactions.ts'
import { OPERATOR, Turns } from './turns.ts'
import { ClockHeld } from './unit.ts'
import { startLimit, type WorkLimit } from './work-limits.ts'

/** The sender of a command. Its credentials may become invalid while the command waits. */
export type Sender = {
  /** Checks the credentials when the command runs. @throws ApiError if they are no longer valid */
  readonly checkCredentials?: () => void
}

export type CommandOptions = Sender & {
  /** The clocks whose advance the command begins; none by default. */
  readonly advances?: readonly Clock[]
  /** Aborts when the sender gives up: the command then does nothing, and others stop waiting for it. */
  readonly signal?: AbortSignal | undefined
  /** The merchant whose turn the command takes, if it follows the clock of none. */
  readonly turnOf?: MerchantState
}

type Command = CommandOptions & {
  /** Commands are numbered in the order of their arrival. */
  readonly number: number
  /** The merchants whose clocks the command follows; none for a command that does not depend on their time. */
  readonly merchants: readonly MerchantState[]
  /** Runs it. @returns the response to send after the commit; undefined when it waits for a clock and runs again */
  readonly run: () => (() => void) | undefined
  readonly reject: (error: unknown) => void
}

/**
 * The command queue. Commands that arrive together share one transaction, and are answered after its commit. If they take too long,
 * the others follow in transactions of their own. Merchants and the operator take turns, so that one with many commands does not
 * delay the others; the commands of one run in the order of their arrival, but pass one of several merchants that waits for another
 * merchant. Commands of a merchant whose clock is advancing wait for the advance.
 * Exclusive work lets commands pass while any clock is advancing, and after each piece that has held some back.
 */
export class CommandQueue {
  readonly #transactions: Transactions
  readonly #time: Timekeeper
  readonly #listeners: Listeners
  readonly #limit: WorkLimit
  readonly #pauses: Pauses
  readonly #gate = new Gate<Command>((command) => this.#enqueue(command))
  readonly #commands = new Turns<object, Command>()
  readonly #reservations = new Reservations<Command>()
  #submitted = 0
  /** Whether a transaction is scheduled, or runs. */
  #isFlushing = false
  #isClosed = false

  constructor(given: {
    readonly transactions: Transactions
    readonly time: Timekeeper
    readonly listeners: Listeners
    /** Of the commands in a transaction. */
    readonly limit: WorkLimit
    readonly steps: Steps
  }) {
    this.#transactions = given.transactions
    this.#time = given.time
    this.#listeners = given.listeners
    this.#limit = given.limit
    this.#pauses = new Pauses(given.steps)
  }

  /** Refuses commands from now on. @returns when the accepted ones have ended */
  async close(): Promise<void> {
    this.#isClosed = true
    while (!this.#commands.isEmpty || this.#gate.isWanted) await nextTurn()
  }

  /**
   * Runs a command in the next transaction, at the current instant of the merchants' clocks.
   * @param run - must have rolled back its writes when it returns an error; may throw only when the whole transaction
   *   is lost
   */
  submit<T>(
    merchants: readonly MerchantState[],
    run: () => { value: T } | { error: unknown },
    options: CommandOptions = {},
  ): Promise<T> {
    if (this.#isClosed) return Promise.reject(internalError())
    return new Promise((resolve, reject) => {
      const end = () => this.#endReservation(command)
      const refuse = (error: unknown) => {
        end()
        reject(error)
      }
      this.#submitted += 1
      const command: Command = {
        number: this.#submitted,
        merchants,
        ...options,
        reject: refuse,
        run: () => {
          const outcome = runFor(options, run)
          if ('value' in outcome) {
            end()
            return () => resolve(outcome.value)
          }
          const { error } = outcome
          if (!(error instanceof ClockHeld)) return () => refuse(error)
          return this.#defer(command, error.clock) ? undefined : () => refuse(internalError())
        },
      }
      options.signal?.addEventListener('abort', end, { once: true })
      this.#enqueue(command)
    })
  }

  /**
   * Runs work while no command runs. Commands pass until every clock stands, because an advance may last as long as a
   * webhook receiver takes. So they cannot delay the work by starting advances, new advances are held back once the
   * present ones have ended. If more work follows, it comes after the commands that this one has held back.
   */
  alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(internalError())
    return this.#gate.alone(work, this.#time.idle())
  }

  #enqueue(command: Command): void {
    this.#commands.add(ownersOf(command), command)
    this.#flushSoon()
  }

  /**
   * Schedules a transaction two turns later. Clients that the last transaction has answered send their next requests in
   * the meantime, and all commands share one commit. While a clock is advancing a turn takes as long as a batch, so one
   * turn is enough.
   */
  readonly #flushSoon = (): void => {
    if (this.#isFlushing || this.#commands.isEmpty) return
    this.#isFlushing = true
    const flush = () => this.#flush()
    if (this.#time.isMoving) runAfterAccepting(flush)
    else setImmediate(() => runAfterAccepting(flush))
  }

  /** Runs queued commands in one transaction, answers them after the commit, and leaves the rest to a later turn. */
  #flush(): void {
    const first = this.#next()
    if (first) this.#runTogether(first)
    this.#isFlushing = first !== undefined && !this.#commands.isEmpty
    if (this.#isFlushing) runAfterAccepting(() => this.#flush())
    else if (!this.#commands.isEmpty) this.#pauses.onResume(this.#flushSoon)
  }

  /** Takes the next command that is not held back; undefined if none waits, or only those of merchants that pause. */
  #next(): Command | undefined {
    const take = () => this.#commands.take(this.#pauses.isPausing)
    for (let command = take(); command; command = take()) if (!this.#holdsBack(command)) return command
    return undefined
  }

  /**
   * Runs a command and those that follow it in one transaction, up to a limit, and answers them after the commit. If the
   * transaction fails, so do all of them.
   */
  #runTogether(first: Command): void {
    /**
     * Commands that were taken from the queue, and neither deferred nor rejected. The first one must be answered even if the
     * transaction cannot begin.
     */
    const open = new Set([first])
    const replies: (() => void)[] = []
    const mayContinue = startLimit(this.#limit)
    let ended = 0
    try {
      this.#transactions.run([], () => {
        // The loop also visits commands that it adds.
        for (const command of open) {
          const reply = this.#pauses.measure(ownersOf(command), () => this.#run(command))
          if (reply) replies.push(reply)
          else open.delete(command)
          const next = mayContinue() ? this.#next() : undefined
          if (next) open.add(next)
        }
        ended = stopwatch()
      })
      this.#pauses.exclude(stopwatch() - ended)
    } catch (error) {
      this.#listeners.report(error, 'committing commands')
      for (const command of open) command.reject(error)
      return
    }
    for (const reply of replies) reply()
  }

  /** @returns the response to send after the commit; undefined for a command that was deferred or rejected */
  #run(command: Command): (() => void) | undefined {
    if (command.advances && this.#reservations.holds(command, command.advances)) return undefined
    for (const { clock } of command.merchants) this.#transactions.touch(clock)
    return command.merchants.some((merchant) => this.#defers(command, merchant)) ? undefined : command.run()
  }

  /** Holds a command back for exclusive work. @returns whether it is held back */
  #holdsBack(command: Command): boolean {
    if (this.#gate.letsPass(command) || this.#passes(command)) return false
    this.#gate.hold(command)
    return true
  }

  /** Reports whether a command runs although exclusive work waits. */
  #passes({ advances }: Command): boolean {
    return this.#time.isMoving && !(advances && this.#gate.isDraining)
  }

  /**
   * Defers a command while a merchant's clock is advancing; else the command runs at the clock's instant. While a
   * shutdown leaves an advance unfinished there is no such instant, and the command is rejected.
   * @returns whether the command must not run now
   */
  #defers(command: Command, merchant: MerchantState): boolean {
    const reason = absenceOf(merchant)
    if (reason) {
      command.reject(reason)
      return true
    }
    const { clock, held, awaitingDeletion } = merchant
    if (awaitingDeletion) {
      awaitingDeletion.push(this.#waitingOf(command))
      return true
    }
    if (!held.has(clock)) this.#time.catchUp(merchant)
    const isParked = merchant.parked.has(clock)
    if (!isParked && this.#defer(command, clock, merchant)) return true
    if (!isParked && clock.target !== null) {
      command.reject(internalError())
      return true
    }
    clock.tick()
    return false
  }

  /** Makes a command wait for the advance that holds a clock of one of its merchants. @returns whether there is one */
  #defer(
    command: Command,
    clock: Clock,
    owner = command.merchants.find(({ held }) => held.has(clock)),
  ): boolean {
    const waiting = owner?.held.get(clock)
    if (!waiting) return false
    waiting.push(this.#waitingOf(command))
    const { merchants, advances = [], signal } = command
    // An advance that waits for webhooks may last as long as a receiver takes. Others do not wait for that.
    if (owner?.parked.has(clock)) this.#endReservation(command)
    else if (merchants.length > 1 && !signal?.aborted)
      this.#reservations.add(command, [...merchants.map((each) => each.clock), ...advances])
    return true
  }

  #endReservation(command: Command): void {
    for (const follower of this.#reservations.end(command)) this.#enqueue(follower)
  }

  #waitingOf(command: Command): Waiting {
    return { requeue: () => this.#enqueue(command), reject: command.reject }
  }
}

/** Returns those whose turn a command takes. */
const ownersOf = ({ merchants, turnOf }: Command): readonly object[] =>
  merchants.length > 0 ? merchants : [turnOf ?? OPERATOR]

/** Runs a command, unless the credentials of its sender are no longer valid. */
function runFor<Outcome>({ checkCredentials }: Sender, run: () => Outcome): Outcome | { error: unknown } {
  try {
    checkCredentials?.()
  } catch (error) {
    return { error }
  }
  return run()
}
