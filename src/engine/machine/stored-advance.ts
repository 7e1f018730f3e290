import type { EventType } from '../../core/kinds.ts'

/** The results of an advance. See docs/contract/clocks.md#clock-endpoints. */
export type Summary = {
  readonly jobs: number
  readonly events: number
  readonly invoices_paid: number
  readonly payments_failed: number
  /** The type of the event that ended it; null when it reached its target or was canceled. */
  readonly stopped_on: EventType | null
}

export const EMPTY_SUMMARY: Summary = {
  jobs: 0,
  events: 0,
  invoices_paid: 0,
  payments_failed: 0,
  stopped_on: null,
}

/** The options of an advance. See docs/contract/clocks.md#stop-on. */
export type AdvanceOptions = {
  /** The advance ends after the first event of one of these types. */
  readonly stop_on: readonly EventType[]
  /** Whether each step waits for the webhooks of the previous one. */
  readonly await_webhooks: boolean
}

/** The options and progress of an advance as stored in the clock's row, so that a restart can continue it. */
export type Stored = AdvanceOptions & {
  readonly summary: Summary
  /** Whether it only brings a live clock up to the wall clock, whose offset it keeps. */
  readonly is_catch_up: boolean
  /** The advances of a merchant run in the order of these numbers; undefined if an older version has stored it. */
  readonly number?: number | undefined
}

export const storedAdvance = ({
  stop_on = [],
  await_webhooks = false,
  summary = EMPTY_SUMMARY,
  is_catch_up = false,
  number,
}: Partial<Stored>): string =>
  JSON.stringify({ stop_on, await_webhooks, summary, is_catch_up, number } satisfies Stored)

/** A clock with its advance as stored; null when there is none. */
type Advancing = { readonly advance: string | null }

/** Reports whether the advance of a clock waits for webhooks. */
export const awaitsWebhooks = ({ advance }: Advancing): boolean =>
  advance !== null && (JSON.parse(advance) as Stored).await_webhooks

/** Reports whether the advance of a clock only brings it up to the wall clock. */
export const isCatchUp = ({ advance }: Advancing): boolean =>
  advance !== null && (JSON.parse(advance) as Stored).is_catch_up

/** Returns the number of a clock's advance among those of the merchant; 0 if there is none. */
export const numberOf = ({ advance }: Advancing): number =>
  (advance !== null && (JSON.parse(advance) as Stored).number) || 0

/** Sorts clocks of a merchant by the order in which their advances were requested. */
export const inOrder = <Moving extends Advancing>(clocks: readonly Moving[]): Moving[] =>
  clocks
    .map((clock) => ({ clock, number: numberOf(clock) }))
    .toSorted((one, other) => one.number - other.number)
    .map(({ clock }) => clock)

/** Returns the summary so far of a clock's advance; undefined when there is none. */
export const progressOf = ({ advance }: Advancing): Summary | undefined =>
  advance === null ? undefined : (JSON.parse(advance) as Stored).summary
