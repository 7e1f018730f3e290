import type { Clock } from './clock.ts'

/** A waiting command: the clocks that must not advance when it runs, and the later commands that wait for it. */
type Reservation<Command> = { readonly clocks: ReadonlySet<Clock>; readonly followers: Command[] }

/**
 * Commands that wait until none of several clocks advances. Each waits for one clock at a time, so further advances of the other clocks
 * could delay it for ever. They wait until it has run, or only a receiver of webhooks keeps it waiting.
 */
export class Reservations<Command extends { readonly number: number }> {
  readonly #waiting = new Map<Command, Reservation<Command>>()

  /** Reserves clocks for a command until it has ended. */
  add(command: Command, clocks: readonly Clock[]): void {
    if (!this.#waiting.has(command)) this.#waiting.set(command, { clocks: new Set(clocks), followers: [] })
  }

  /** Makes a command that advances clocks wait, if one of them is reserved for an earlier one. @returns whether it waits */
  holds(command: Command, advances: readonly Clock[]): boolean {
    for (const [{ number }, { clocks, followers }] of this.#waiting) {
      if (number >= command.number || !advances.some((clock) => clocks.has(clock))) continue
      followers.push(command)
      return true
    }
    return false
  }

  /** Ends the reservation of a command, if it has one. @returns the commands that waited for it, in order */
  end(command: Command): readonly Command[] {
    const { followers = [] } = this.#waiting.get(command) ?? {}
    this.#waiting.delete(command)
    return followers
  }
}
