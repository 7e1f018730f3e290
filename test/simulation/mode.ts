import { type AnyStep, isWhole, read, type Step, stepsOf } from './commands.ts'
import { type Result, run, runThoroughly } from './run.ts'
import type { Spares } from './spares.ts'

type Options = { readonly seed: number; readonly auditEvery?: number; readonly spares?: Spares }
type Run<Step> = (steps: readonly Step[], options: Options) => Promise<Result>

/** How the stories of a dialect are generated and played. */
export type Mode<Step extends AnyStep> = {
  readonly stepsOf: (seed: number, count: number, given?: { isVaried: boolean }) => Step[]
  readonly read: (text: string) => Step[]
  readonly run: Run<Step>
  readonly runThoroughly: Run<Step>
  /** Whether a command concerns all merchants. */
  readonly isWhole: (name: Step['name']) => boolean
}

/** Stories of several merchants with paytwin's own API, beside a model. */
export const paytwinMode: Mode<Step> = { stepsOf, read, run, runThoroughly, isWhole }
