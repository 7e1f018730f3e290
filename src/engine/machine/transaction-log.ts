import type { StoredClock } from '../../store/clocks.ts'
import type { Clock } from './clock.ts'

/** Undoes a change in memory. @param reason - why the command or the transaction was rolled back */
export type Undo = (reason: unknown) => void

/** A position in the log, to which a command can be rolled back. */
export type Mark = { readonly undo: number; readonly followUps: number }

/**
 * The changes that the open transaction has made in memory, and the actions to run after its commit. The database rolls back its own rows; counters,
 * clocks and merchants in memory are put back from here.
 */
export class TransactionLog {
  /** The clocks that the transaction may have moved, each with its state before. */
  readonly #clocks = new Map<Clock, StoredClock>()
  readonly #undo: Undo[] = []
  readonly #followUps: (() => void)[] = []

  /** Starts a transaction. What was changed outside one cannot be rolled back. */
  begin(): void {
    this.#undo.length = 0
  }

  /** Records a clock before it moves. */
  touch(clock: Clock): void {
    if (!this.#clocks.has(clock)) this.#clocks.set(clock, clock.state)
  }

  /** Registers how to undo a change in memory when the command or the transaction is rolled back. */
  onRollback(undo: Undo): void {
    this.#undo.push(undo)
  }

  /** Registers what to do right after the commit; dropped when the command or the transaction is rolled back. */
  onCommit(followUp: () => void): void {
    this.#followUps.push(followUp)
  }

  /** The clocks that the transaction may have moved. */
  get clocks(): readonly Clock[] {
    return [...this.#clocks.keys()]
  }

  mark(): Mark {
    return { undo: this.#undo.length, followUps: this.#followUps.length }
  }

  /** Undoes the changes since a mark, the last one first, and drops the actions registered since then. */
  rollBackTo(mark: Mark, reason: unknown): void {
    this.#followUps.length = mark.followUps
    for (const undo of this.#undo.splice(mark.undo).reverse()) undo(reason)
  }

  /** Undoes all changes of the transaction, including moves of clocks. */
  rollBack(reason: unknown): void {
    this.rollBackTo({ undo: 0, followUps: 0 }, reason)
    for (const [clock, before] of this.#clocks) clock.reset(before)
    this.#clocks.clear()
  }

  /** Ends the transaction. @returns the actions to run after its commit */
  commit(): readonly (() => void)[] {
    this.#clocks.clear()
    return this.#followUps.splice(0)
  }
}
