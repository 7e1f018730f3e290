import type { Mode } from '../mode.ts'
import { read, type StripeStep, stepsOf } from './commands.ts'
import { run, runThoroughly } from './run.ts'

/** Stories of one merchant with the dialect stripe. */
export const mode: Mode<StripeStep> = { stepsOf, read, run, runThoroughly, isWhole: () => false }
