/** @jsxImportSource hono/jsx */
import type { Clock } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { EVENT_TYPES } from '../core/kinds.ts'
import { Time } from '../http/html/time.tsx'
import type { PageContext } from './context.ts'
import { FormToken } from './form-token.tsx'

/** The spans of the buttons, as the API takes them. */
const STEPS = [
  { by: '1h', label: '+1 h', name: 'advance by 1 hour' },
  { by: '1d', label: '+1 d', name: 'advance by 1 day' },
  { by: '1w', label: '+1 w', name: 'advance by 1 week' },
  { by: '1mo', label: '+1 mo', name: 'advance by 1 month' },
] as const

/** The maximum number of advancing test clocks that every page shows. */
const MAX_OTHERS = 5

/** The name of the button that advances to the next due job. */
export const NEXT = 'next'

export const clockPath = (base: string, { id }: Pick<Clock, 'id'>, verb: string): string =>
  `${base}/clocks/${encodeURIComponent(id)}/${verb}`

/** The clock of the merchant with the forms that move it, at the top of every page. live.js keeps its parts up to date. */
export function TimeBar(context: PageContext) {
  const { merchant, base, advancing, advances, formToken } = context
  const { clock } = merchant
  const isAdvancing = clock.status === 'advancing'
  return (
    <section class="time" aria-label="Clock" data-url={clockPath(base, clock, 'bar')}>
      <p class="now" data-part="now">
        <strong>
          <Time at={clock.now} />
        </strong>{' '}
        <span class="mode">UTC, {isAdvancing ? 'advancing' : clock.mode}</span>
      </p>
      <div class="moving" data-part="moving">
        {isAdvancing ? (
          <>
            <Progress clock={clock} from={advances.latest(clock.id)?.from} />
            <a data-advancing={clock.id} href={clockPath(base, clock, 'advance')}>
              Show the progress
            </a>
          </>
        ) : null}
      </div>
      <ul class="others" data-part="others" aria-label="Test clocks that are advancing">
        {advancing
          .filter(({ object }) => object === 'test_clock')
          .slice(0, MAX_OTHERS)
          .map((other) => (
            <li data-advancing={other.id}>
              {other.name ?? other.id}: <Time at={other.now} />{' '}
              <Moving base={base} clock={other} advances={advances} />
            </li>
          ))}
      </ul>
      <div class="controls" data-part="controls" data-key={clock.status}>
        {isAdvancing ? (
          <form method="post" action={clockPath(base, clock, 'cancel')}>
            <FormToken value={formToken} />
            <button type="submit">Cancel the advance</button>
          </form>
        ) : (
          <ClockControls {...context} clock={clock} />
        )}
      </div>
    </section>
  )
}

/** The target and the progress of an advance, with a link to its page. */
export const Moving = ({
  base,
  clock,
  advances,
}: Pick<PageContext, 'base' | 'advances'> & { clock: Clock }) => (
  <>
    to <Time at={clock.target} /> <Progress clock={clock} from={advances.latest(clock.id)?.from} />{' '}
    <a href={clockPath(base, clock, 'advance')}>Show the progress</a>
  </>
)

/** The progress bar of an advance. Without `from`, it shows only that the clock is moving. */
export function Progress({ clock: { now, target }, from }: { clock: Clock; from: number | undefined }) {
  const whole = (target ?? now) - (from ?? now)
  return (
    <progress
      max={from === undefined ? undefined : Math.max(1, whole)}
      value={from === undefined ? undefined : now - from}
      aria-label="Progress of the advance"
    />
  )
}

/** The forms that move a clock. They work for the main clock and for test clocks. */
export function ClockControls({
  base,
  formToken,
  clock,
}: Pick<PageContext, 'base' | 'formToken'> & { clock: Clock }) {
  const isMain = clock.object === 'clock'
  const isFrozen = clock.mode === 'frozen'
  return (
    <>
      <form class="steps" method="post" action={clockPath(base, clock, 'advance')}>
        <FormToken value={formToken} />
        {STEPS.map(({ by, label, name }) => (
          <button type="submit" name="by" value={by}>
            {label}
            <span class="hidden">: {name}</span>
          </button>
        ))}
        <button type="submit" name={NEXT} value="1" title="Advance to the next due job">
          Next event
        </button>
      </form>
      <details class="until">
        <summary>Until…</summary>
        <form method="post" action={clockPath(base, clock, 'advance')}>
          <FormToken value={formToken} />
          <label>
            Time (UTC)
            <input
              type="datetime-local"
              name="to"
              required
              step="1"
              value={formatInstant(clock.now).replace('Z', '')}
            />
          </label>
          <label>
            Stop at the first event
            <select name="stop_on">
              <option value="">do not stop</option>
              {EVENT_TYPES.map((type) => (
                <option value={type}>{type}</option>
              ))}
            </select>
          </label>
          <button type="submit" class="primary">
            Advance
          </button>
        </form>
        {isMain ? (
          <form method="post" action={clockPath(base, clock, isFrozen ? 'unfreeze' : 'freeze')}>
            <FormToken value={formToken} />
            <button type="submit">{isFrozen ? 'Let the clock run' : 'Freeze the clock'}</button>
          </form>
        ) : null}
      </details>
    </>
  )
}
