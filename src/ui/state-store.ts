import type { Command } from './command.ts'
import { realTiming } from './frame-loop.ts'
import type { State } from './state.ts'
import { type Action, step } from './step.ts'

/** What a store tells of. */
export type StoreListener = {
  /** Something is to be drawn. */
  readonly changed: () => void
  /** A key wants something done. */
  readonly asked: (command: Command) => void
  /** Our own mistake: it must not be thrown into what tells of keys and events, where it would end the process. */
  readonly failed: (error: unknown) => void
}

/** The one place that holds the state and the time: actions come in from all sides. */
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
      if (command) this.#listener.asked(command)
      if (action.kind !== 'drawing') this.#listener.changed()
    } catch (error) {
      this.#listener.failed(error)
    }
  }
}
