import { attemptsOf, type FinalAction, type RetrySchedule } from '../core/dunning.ts'
import type { FutureJob } from '../core/future-job.ts'
import type { Invoice } from '../core/invoice.ts'
import type { EventType, Kind, Objects } from '../core/kinds.ts'
import type { Rules } from '../core/rules.ts'

/** An event of an object, with the object after it. */
export type Step = {
  readonly type: EventType
  readonly kind: Kind
  /** Unix seconds. */
  readonly created: number
  /** The id of the request that caused it; null for a job. */
  readonly request: string | null
  /** The replaced values; null when it created the object, or changed no public field. */
  readonly replaced: Readonly<Record<string, unknown>> | null
  readonly after: Objects[Kind]
  /** The decline code of a failed payment. */
  readonly decline: string | null
}

/** The facts for an explanation. */
export type Facts = {
  readonly rules: Rules
  readonly final_action: FinalAction
  readonly retries: RetrySchedule
  /** The events of the object and of its related objects, oldest first. */
  readonly steps: readonly Step[]
  /** Whether older events were not read. */
  readonly isCut: boolean
  /** For a subscription, its open and draft invoices; for an invoice, the invoice itself. */
  readonly invoices: readonly Invoice[]
  /** The jobs of the object and of its related objects, in order; projected jobs too. */
  readonly upcoming: readonly FutureJob[]
  /** Returns an object as it is at the explained time. */
  get<K extends Kind>(kind: K, id: string): Objects[K] | undefined
  /** Returns an object as it was at the end of an earlier instant. */
  getAt<K extends Kind>(kind: K, id: string, at: number): Objects[K] | undefined
}

/** The number of attempts on the merchant's retry schedule. */
export const attemptsIn = ({ retries }: Facts): number => attemptsOf(retries)

/** Lists the steps of an object. */
export const stepsOf = ({ steps }: Facts, id: string): Step[] => steps.filter(({ after }) => after.id === id)

/** Returns the newest step of an object with one of the types. */
export const lastStep = ({ steps }: Facts, id: string, ...types: readonly EventType[]): Step | undefined =>
  steps.findLast(({ after, type }) => after.id === id && types.includes(type))

/** Lists the steps of the same request, or of the same instant of the clock. */
export const togetherWith = ({ steps }: Facts, { created, request }: Step): Step[] =>
  steps.filter((step) => step.created === created && step.request === request)
