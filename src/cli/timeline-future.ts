import type { Prospect } from '../client/types.ts'
import { MAX_ATTEMPTS } from '../core/dunning.ts'
import { JOB_TEXTS } from './job-texts.ts'
import { grouped, type Moment, money, type Namer, type Note, note } from './timeline-note.ts'

/** Groups upcoming jobs by instant. */
export const futureMoments = (prospects: readonly Prospect[], name: Namer): Moment[] =>
  [...grouped(prospects, ({ due }) => due)].map(([at, together]) => ({
    at,
    notes: together.map((prospect) => prospectNote(prospect, name)),
    isTroubled: false,
  }))

const prospectNote = (prospect: Prospect, name: Namer): Note => {
  const [first = '', ...rest] = DESCRIPTIONS[prospect.kind](prospect)
  return note(prospect.projected ? '◌' : '○', [`${name(prospect.subscription)}${first}`, ...rest], {
    colour: 'dim',
  })
}

const UNCOLLECTED = { draft: 'stays a draft', void: 'void', uncollectible: 'uncollectible' } as const
const CONSEQUENCES = {
  cancel: 'canceled',
  mark_unpaid: 'unpaid',
  leave_past_due: 'stays past_due',
  expire: 'incomplete_expired',
  pause: 'paused',
} as const

const bill = (prospect: Prospect): string[] => [
  money(prospect),
  prospect.uncollected === null ? '' : UNCOLLECTED[prospect.uncollected],
]

/** Describes each kind of job. */
const DESCRIPTIONS: Readonly<Record<Prospect['kind'], (prospect: Prospect) => string[]>> = {
  renewal: (renewal) => [JOB_TEXTS.renewal, ...bill(renewal)],
  trial_end: (end) =>
    end.consequence === null
      ? [JOB_TEXTS.trial_end, ...bill(end)]
      : [`${JOB_TEXTS.trial_end}: ${CONSEQUENCES[end.consequence]}`, 'nothing to charge'],
  payment_retry: ({ label, attempt, consequence, ...due }) => [
    `${JOB_TEXTS.payment_retry} ${label ?? ''}`,
    money(due),
    `attempt ${attempt} of ${MAX_ATTEMPTS}`,
    consequence === null ? '' : `${CONSEQUENCES[consequence]} if it fails`,
  ],
  invoice_due: ({ label, ...due }) => [`${label ?? 'invoice'} is due`, money(due)],
  cancellation: () => ['scheduled cancellation'],
  incomplete_expiry: () => [`${JOB_TEXTS.incomplete_expiry} unless paid`],
  pause_end: () => [JOB_TEXTS.pause_end],
  refund_settlement: (refund) => [JOB_TEXTS.refund_settlement, money(refund)],
  webhook_retry: () => [JOB_TEXTS.webhook_retry],
}
