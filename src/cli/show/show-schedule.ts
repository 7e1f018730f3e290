import type { Related, SubscriptionSchedule } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { unitPriceText } from '../../timeline/price-texts.ts'
import { instant } from './format.ts'
import type { Colour, Column, Output, Span } from './output.ts'
import { customerText, metadataText, presentFields } from './show-text.ts'

type Phase = SubscriptionSchedule['phases'][number]
type Price = Parameters<typeof unitPriceText>[0]

/** A schedule with its customer and its prices as objects. */
export type ShownSchedule = Omit<SubscriptionSchedule, 'customer'> & {
  readonly customer: Related['customer']
}

const STATUS_COLOURS: Readonly<Record<SubscriptionSchedule['status'], Colour>> = {
  not_started: 'cyan',
  active: 'green',
  completed: 'dim',
  released: 'dim',
  canceled: 'red',
}

export const scheduleStatusText = (status: SubscriptionSchedule['status']): Span => ({
  text: status,
  colour: STATUS_COLOURS[status],
})

/** Formats the end of the current phase, or of the first one if the schedule has not started; `–` for an ended schedule. */
export const phaseEndText = ({
  current_phase,
  phases,
  status,
}: Pick<SubscriptionSchedule, 'current_phase' | 'phases' | 'status'>): string =>
  instant(current_phase?.end_date ?? (status === 'not_started' ? (phases[0]?.end_date ?? null) : null))

/** Formats the items of a phase, whose prices may be objects: `2 × 20.00 USD a month − HALF`. */
function itemsText({ items }: Phase): string {
  return items
    .map(({ price, quantity, discounts }) => {
      const found = price as unknown as string | Price
      const text = typeof found === 'string' ? found : unitPriceText(found)
      const counted = quantity === null ? `metered ${text}` : quantity === 1 ? text : `${quantity} × ${text}`
      return [counted, ...namesOf(discounts)].join(' − ')
    })
    .join(' + ')
}

/** Lists the coupons, promotion codes and discounts that a phase plans. */
const namesOf = (planned: Phase['discounts']): string[] =>
  (planned ?? []).map(({ coupon, promotion_code, discount }) => coupon ?? promotion_code ?? discount ?? '')

/** Formats the discounts of the subscription in a phase; `–` if the phase leaves them as they are. */
const discountsText = ({ discounts }: Phase): string =>
  discounts === null ? '–' : namesOf(discounts).join(', ') || 'none'

/** Prints a schedule and its phases. */
export function showSchedule(out: Output, schedule: ShownSchedule): void {
  const { current_phase, phases } = schedule
  const isCurrent = ({ start_date }: Phase) => start_date === current_phase?.start_date
  out.fields(
    presentFields([
      ['schedule', { text: schedule.id, colour: 'bold' }],
      ['status', scheduleStatusText(schedule.status)],
      ['customer', customerText(schedule.customer)],
      ['subscription', schedule.subscription ?? schedule.released_subscription ?? ''],
      ['at the end', schedule.end_behavior],
      ['ended', endText(schedule)],
      ['metadata', metadataText(schedule.metadata)],
    ]),
  )
  out.line()
  const columns: readonly Column<Phase>[] = [
    { title: 'PHASE', cell: (phase) => `${phases.indexOf(phase) + 1}${isCurrent(phase) ? ' (now)' : ''}` },
    { title: 'START', cell: ({ start_date }) => instant(start_date) },
    { title: 'END', cell: ({ end_date }) => instant(end_date) },
    { title: 'ITEMS', cell: itemsText },
    { title: 'TRIAL END', cell: ({ trial_end }) => instant(trial_end), omit: 1 },
    ...(phases.some(({ discounts }) => namesOf(discounts).length > 0)
      ? [{ title: 'DISCOUNTS', cell: discountsText }]
      : []),
  ]
  out.table(columns, phases, 'No phases.')
}

function endText({ canceled_at, completed_at, released_at }: ShownSchedule): string {
  const at = canceled_at ?? completed_at ?? released_at
  return at === null ? '' : formatInstant(at)
}
