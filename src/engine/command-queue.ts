import { internalError } from '../core/errors.ts'
import type { Clock } from './clock.ts'
import { Gate, nextTurn } from './gate.ts'
import type { Listeners } from './listeners.ts'
import { leftBehindBy, type MerchantState } from './merchant-state.ts'
import type { Timekeeper } from './timekeeper.ts'
import type { Transactions } from './transactions.ts'
import { ClockHeld } from './unit.ts'

export type CommandOptions = {
  /** Whether the command begins an advance; false by default. */
  readonly beginsAdvance?: boolean
}

type Command = CommandOptions & {
  /** The merchants whose clocks it follows; none for what concerns no merchant's time. */
  readonly merchants: readonly MerchantState[]
  /** @returns the answer, to be given after the commit; undefined when it waits for a clock and is to run again */
  readonly run: () => (() => void) | undefined
  readonly reject: (error: unknown) => void
}

/**
 * The command queue. Commands that arrive together share one transaction, and are answered after the commit. Those of a
 * merchant whose time moves wait until it stands. Work that is to run alone lets commands pass as long as any clock moves.
 */
export class CommandQueue {
  readonly #transactions: Transactions
  readonly #time: Timekeeper
  readonly #listeners: Listeners
  readonly #gate = new Gate<Command>((command) => this.#enqueue(command))
  #commands: Command[] = []
  #isClosed = false

  constructor(given: {
    readonly transactions: Transactions
    readonly time: Timekeeper
    readonly listeners: Listeners
  }) {
    this.#transactions = given.transactions
    this.#time = given.time
    this.#listeners = given.listeners
  }

  /** Refuses commands from now on. @returns when those that were accepted have ended */
  async close(): Promise<void> {
    this.#isClosed = true
    while (this.#commands.length > 0 || this.#gate.isWanted) await nextTurn()
  }

  /**
   * Runs a command in the next transaction, at the instant at which the clocks of some merchants stand then.
   * @param run - when it fails, it has taken back what it has written; it throws only when the whole transaction is lost
   */
  submit<T>(
    merchants: readonly MerchantState[],
    run: () => { value: T } | { error: unknown },
    options: CommandOptions = {},
  ): Promise<T> {
    if (this.#isClosed) return Promise.reject(internalError())
    return new Promise((resolve, reject) => {
      const command: Command = {
        merchants,
        ...options,
        reject,
        run: () => {
          const outcome = run()
          if ('value' in outcome) return () => resolve(outcome.value)
          if (!(outcome.error instanceof ClockHeld)) return () => reject(outcome.error)
          return this.#defer(command, outcome.error.clock) ? undefined : () => reject(internalError())
        },
      }
      this.#enqueue(command)
    })
  }

  /**
   * Runs work while no command does. Until every clock stands commands pass, for an advance may last as long as a webhook's receiver
   * likes; so they cannot delay the work, except that some begin advances: those are held back once the advances of now have ended.
   */
  alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(internalError())
    return this.#gate.alone(work, this.#time.rest())
  }

  #enqueue(command: Command): void {
    if (this.#commands.length === 0) this.#flushSoon()
    this.#commands.push(command)
  }

  /**
   * Lets more come first: those whom the last transaction has answered ask again meanwhile, and all share one commit, which costs
   * as much for one as for many. While time moves a turn takes as long as a batch, and there is none to spare.
   */
  #flushSoon(): void {
    const flush = () => this.#flush()
    setImmediate(this.#time.isMoving ? flush : () => setImmediate(flush))
  }

  /** One transaction for all commands that have arrived; answers leave after its commit. */
  #flush(): void {
    const commands = this.#commands.filter((command) => !this.#holdsBack(command))
    this.#commands = []
    if (commands.length === 0) return
    /** Those that are to be answered now: not deferred, nor sent away. */
    const open = new Set(commands)
    const answers: (() => void)[] = []
    const clocks = commands.flatMap(({ merchants }) => merchants.map(({ clock }) => clock))
    try {
      this.#transactions.run(clocks, () => {
        for (const command of commands) {
          const answer = command.merchants.some((merchant) => this.#defers(command, merchant))
            ? undefined
            : command.run()
          if (answer) answers.push(answer)
          else open.delete(command)
        }
      })
    } catch (error) {
      this.#listeners.report(error, 'committing commands')
      for (const command of open) command.reject(error)
      return
    }
    for (const answer of answers) answer()
  }

  /** Holds a command back for work that is to run alone. @returns whether it is held back */
  #holdsBack(command: Command): boolean {
    if (!this.#gate.isWanted || this.#passes(command)) return false
    this.#gate.hold(command)
    return true
  }

  /** Whether a command runs though work waits to run alone. */
  #passes({ beginsAdvance }: Command): boolean {
    return this.#time.isMoving && !(beginsAdvance && this.#gate.isDraining)
  }

  /**
   * Defers a command while a merchant's time is moving; else it runs at the instant that its clock shows. While a shutdown
   * leaves an advance unfinished there is no such instant: the command is sent away.
   * @returns whether the command is not to run now
   */
  #defers(command: Command, merchant: MerchantState): boolean {
    const leftBehind = leftBehindBy(merchant)
    if (leftBehind) {
      command.reject(leftBehind)
      return true
    }
    const { clock, held } = merchant
    if (!held.has(clock)) this.#time.catchUp(merchant)
    const isParked = merchant.parked.has(clock)
    if (!isParked && this.#defer(command, clock)) return true
    if (!isParked && clock.target !== null) {
      command.reject(internalError())
      return true
    }
    clock.tick()
    return false
  }

  /** Lets a command wait for the advance that holds a clock. @returns whether there is one */
  #defer(command: Command, clock: Clock): boolean {
    const owner = command.merchants.find(({ held }) => held.has(clock))
    const waiting = owner?.held.get(clock)
    waiting?.push({ requeue: () => this.#enqueue(command), reject: command.reject })
    return waiting !== undefined
  }
}
