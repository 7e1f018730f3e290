import type { Command } from './command.ts'
import { realTiming } from './frame-loop.ts'
import type { State } from './state.ts'
import { type Action, step } from './step.ts'

/** The callbacks of a store. */
export type StoreListener = {
  /** The state changed and must be drawn. */
  readonly changed: () => void
  /** A key requested a command. */
  readonly commanded: (command: Command) => void
  /** An internal error. It must not be thrown at the sources of keys and events, where it would end the process. */
  readonly failed: (error: unknown) => void
}

/** Holds the state, and applies actions to it with the current time. */
export class Store {
  #state: State
  readonly #listener: StoreListener
  readonly #now: () => number

  /** @param now - the present, in milliseconds from an arbitrary start */
  constructor(state: State, listener: StoreListener, now: () => number = realTiming.now) {
    this.#state = state
    this.#listener = listener
    this.#now = now
  }

  get state(): State {
    return this.#state
  }

  readonly dispatch = (action: Action): void => {
    try {
      const { state, command } = step(this.#state, action, this.#now())
      this.#state = state
      if (command) this.#listener.commanded(command)
      if (action.kind !== 'drawing') this.#listener.changed()
    } catch (error) {
      this.#listener.failed(error)
    }
  }
}
