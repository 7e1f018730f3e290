import type { Clock } from '../client/types.ts'
import { ADVANCE_CHOICES, advanceTargetOf } from './advance-menu.ts'
import { nowOf } from './clock-view.ts'
import { backToList, inMode, noticed, only, type State, type Step } from './state.ts'

/** Opens the advance menu and requests the next due job. */
export function openAdvance(state: State): Step {
  return withClock(state, ({ status, merchant_id }) =>
    status === 'advancing'
      ? only(noticed(state, 'The clock is already advancing. Press c to cancel.'))
      : {
          state: { ...state, mode: { name: 'advance', choice: 0, next: undefined } },
          command: { do: 'read_upcoming', merchant: merchant_id },
        },
  )
}

export function choose(state: State, next: (choice: number) => number): Step {
  const { mode } = state
  if (mode.name !== 'advance') return only(state)
  const choice = Math.max(0, Math.min(ADVANCE_CHOICES.length - 1, next(mode.choice)))
  return inMode(state, { ...mode, choice })
}

export function advance(state: State): Step {
  const { mode } = state
  const choice = mode.name === 'advance' ? ADVANCE_CHOICES[mode.choice] : undefined
  if (mode.name !== 'advance' || !choice) return only(state)
  return withClock(state, ({ merchant_id }) => {
    const target = advanceTargetOf(choice, mode.next)
    const { state: after } = backToList(state)
    return target
      ? { state: after, command: { do: 'advance', merchant: merchant_id, target } }
      : only(
          noticed(
            after,
            mode.next === null
              ? 'No job is due, so there is no time to advance to.'
              : 'The next job is not known yet.',
          ),
        )
  })
}

export function cancelAdvance(state: State): Step {
  return withClock(state, ({ status, merchant_id }) =>
    status === 'advancing'
      ? { state, command: { do: 'cancel', merchant: merchant_id } }
      : only(noticed(state, 'The clock is not advancing.')),
  )
}

export function toggleFrozen(state: State): Step {
  return withClock(state, ({ mode, merchant_id }) => ({
    state,
    command: { do: mode === 'frozen' ? 'unfreeze' : 'freeze', merchant: merchant_id },
  }))
}

/** Acts on the clock if there is exactly one, and otherwise shows why it cannot. */
function withClock(state: State, act: (clock: Clock) => Step): Step {
  const { clock: view } = state
  if (view.known === 'one') return act({ ...view.clock, now: nowOf(view, state.at) })
  const reasons = {
    'not yet': 'The clock is not known yet.',
    none: 'The merchant no longer exists.',
    several: 'Several merchants are shown. To control a clock, start with --merchant ID.',
  }
  return only(noticed(state, reasons[view.known], true))
}
