/** @jsxImportSource hono/jsx */
import { formatDate, SECONDS_PER_DAY } from '../core/calendar.ts'
import { formatAmount } from '../core/money.ts'

/** The payments of one day, in the smallest currency unit. */
export type Day = {
  /** Unix seconds. */
  readonly start: number
  readonly succeeded: number
  readonly failed: number
}

/** A bar of the chart, with failed payments above the successful ones. Lengths are fractions of the chart's height, 0 to 1. */
export type Bar = {
  readonly start: number
  readonly label: string
  readonly succeeded: number
  readonly failed: number
}

/** Returns the amount of the day with the most payments, which the highest bar shows. */
export const highestOf = (days: readonly Day[]): number =>
  Math.max(0, ...days.map(({ succeeded, failed }) => succeeded + failed))

/** Computes a bar for each day of a span, empty ones included. The highest bar has the length 1. */
export function barsOf(
  days: readonly Day[],
  { since, count, currency }: { readonly since: number; readonly count: number; readonly currency: string },
): Bar[] {
  const byStart = new Map(days.map((day) => [day.start, day]))
  const highest = Math.max(1, highestOf(days))
  return Array.from({ length: count }, (_, index) => {
    const start = since + index * SECONDS_PER_DAY
    const { succeeded = 0, failed = 0 } = byStart.get(start) ?? {}
    const texts = [
      formatDate(start),
      `${formatAmount(succeeded, currency)} paid`,
      ...(failed > 0 ? [`${formatAmount(failed, currency)} failed`] : []),
    ]
    return { start, label: texts.join(', '), succeeded: succeeded / highest, failed: failed / highest }
  })
}

/** The height of the drawing. A day is one unit wide; the page stretches the drawing to its width. */
const HEIGHT = 100
/** The shortest length that can be seen. */
const MIN_LENGTH = 2
const [MARGIN, WIDTH] = [0.15, 0.7]
/**
 * The distance of the dates below the chart, in days, counted back from the last day. Dates are right-aligned with their day,
 * so the first days have no room for one.
 */
const MARKED_DAYS = 7

const lengthOf = (part: number): number => (part === 0 ? 0 : Math.max(MIN_LENGTH, Math.round(part * HEIGHT)))

/**
 * Draws payments by day as bars. The title of each bar has its amounts.
 * @param title - the accessible name of the chart
 * @param scale - the amount of the highest bar
 */
export function DayChart({ bars, title, scale }: { bars: readonly Bar[]; title: string; scale: string }) {
  return (
    <div class="chart">
      <p class="scale">{scale}</p>
      <svg viewBox={`0 0 ${bars.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={title}>
        {bars.map(({ label, succeeded, failed }, index) => {
          const x = index + MARGIN
          const [paid, lost] = [lengthOf(succeeded), lengthOf(failed)]
          return (
            <g>
              <title>{label}</title>
              <rect class="day" x={index} y="0" width="1" height={HEIGHT} />
              {paid > 0 ? <rect class="paid" x={x} y={HEIGHT - paid} width={WIDTH} height={paid} /> : null}
              {lost > 0 ? (
                <rect class="failed" x={x} y={HEIGHT - paid - lost} width={WIDTH} height={lost} />
              ) : null}
            </g>
          )
        })}
      </svg>
      <p class="dates">
        {bars
          .filter((_, index) => (index + 1 - bars.length) % MARKED_DAYS === 0 && index >= MARKED_DAYS)
          .map(({ start }) => (
            <span>{formatDate(start).slice(5)}</span>
          ))}
      </p>
    </div>
  )
}
