import type { Prospect } from '../client/types.ts'
import { MAX_ATTEMPTS } from '../core/dunning.ts'
import { grouped, type Moment, money, type Namer, type Note, note } from './timeline-note.ts'

/** What is to come, by instant. */
export const futureMoments = (prospects: readonly Prospect[], name: Namer): Moment[] =>
  [...grouped(prospects, ({ due }) => due)].map(([at, together]) => ({
    at,
    notes: together.map((prospect) => prospectNote(prospect, name)),
    isTroubled: false,
  }))

const prospectNote = (prospect: Prospect, name: Namer): Note => {
  const [first = '', ...rest] = TELLERS[prospect.kind](prospect)
  return note(prospect.projected ? '◌' : '○', [`${name(prospect.subscription)}${first}`, ...rest], {
    colour: 'dim',
  })
}

const UNCOLLECTED = { draft: 'stays a draft', void: 'void', uncollectible: 'uncollectible' } as const
const CONSEQUENCES = {
  cancel: 'canceled',
  mark_unpaid: 'unpaid',
  leave_past_due: 'past_due for good',
  expire: 'incomplete_expired',
  pause: 'paused',
} as const

const bill = (prospect: Prospect): string[] => [
  money(prospect),
  prospect.uncollected === null ? '' : UNCOLLECTED[prospect.uncollected],
]

/** What is said of each kind of job. */
const TELLERS: Readonly<Record<Prospect['kind'], (prospect: Prospect) => string[]>> = {
  renewal: (renewal) => ['renewal', ...bill(renewal)],
  trial_end: (end) =>
    end.consequence === null
      ? ['trial ends', ...bill(end)]
      : [`trial ends: ${CONSEQUENCES[end.consequence]}`, 'nothing to charge'],
  payment_retry: ({ label, attempt, consequence, ...owed }) => [
    `retry ${label ?? ''}`,
    money(owed),
    `attempt ${attempt} of ${MAX_ATTEMPTS}`,
    consequence === null ? '' : `${CONSEQUENCES[consequence]} if it fails`,
  ],
  invoice_due: ({ label, ...owed }) => [`${label ?? 'invoice'} is due`, money(owed)],
  cancellation: () => ['ends, as was asked'],
  incomplete_expiry: () => ['expires unless it is paid'],
  pause_end: () => ['collection goes on'],
  refund_settlement: (refund) => ['refund settles', money(refund)],
  webhook_retry: () => ['webhook is sent again'],
}
