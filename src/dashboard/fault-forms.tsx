/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import type { Fault } from '../client/types.ts'
import { thousands } from '../text/display.ts'
import type { PageContext } from './context.ts'
import { PostForm } from './post-form.tsx'
import { Empty, Panel } from './text.tsx'

/** The effect of each kind of fault. */
const KINDS: Readonly<Record<Fault['kind'], string>> = {
  decline: 'charges are declined, whatever the card',
  processor_timeout: 'the card processor does not answer',
  key_resolution_unavailable: '401, as if keys could not be looked up',
  internal_error: '500, nothing is written',
  response_lost: 'the write is committed, but the connection drops',
  rate_limit: '429',
  latency: 'the response is delayed',
  webhook_failure: 'webhook deliveries fail',
}

/** The active faults of a merchant, each in a row. @param action - makes the button of a row */
export const FaultRows = ({
  faults,
  action = () => null,
}: {
  faults: readonly Fault[]
  action?: (fault: Fault) => Child
}) => (
  <ul class="rows">
    {faults.map((fault) => (
      <li>
        <span>
          {fault.kind.replaceAll('_', ' ')}
          {fault.route === null ? null : <small>{fault.route}</small>}
          {fault.ms === null ? null : <small>{thousands(fault.ms)} ms</small>}
        </span>
        <span>
          {fault.rate === 1 ? 'every time' : `${Math.round(fault.rate * 100)} % of the time`}
          {fault.remaining === null ? null : <small>{thousands(fault.remaining)} left</small>}
          {fault.merchant === null ? <small>all merchants</small> : null}
        </span>
        {action(fault)}
      </li>
    ))}
  </ul>
)

type Props = Pick<PageContext, 'base' | 'formToken' | 'merchant'> & { readonly faults: readonly Fault[] }

/** The faults of the merchant, and a form that adds one. */
export function FaultsPanel({ base, formToken, merchant, faults }: Props) {
  const own = faults.filter((fault) => fault.merchant === null || fault.merchant === merchant.id)
  return (
    <Panel title="Faults">
      {own.length === 0 ? <Empty>No fault is active.</Empty> : null}
      <FaultRows
        faults={own}
        action={({ id, kind }) => (
          <PostForm
            action={`${base}/scenes/remove-fault/${encodeURIComponent(id)}`}
            formToken={formToken}
            label="Remove"
            name={`Remove ${kind.replaceAll('_', ' ')}`}
          />
        )}
      />
      <PostForm
        action={`${base}/scenes/faults`}
        formToken={formToken}
        label="Add"
        name="Add the fault"
        class="stack"
      >
        <label>
          Kind of fault
          <select name="kind">
            {Object.entries(KINDS).map(([kind, effect]) => (
              <option value={kind}>
                {kind.replaceAll('_', ' ')}: {effect}
              </option>
            ))}
          </select>
        </label>
        <label>
          How many times
          <input type="number" name="count" min="1" placeholder="without limit" />
        </label>
        <label>
          Percent of the time
          <input type="number" name="percent" min="0" max="100" step="any" value="100" />
        </label>
        <label>
          Only for this route or webhook URL
          <input name="route" placeholder="POST /v1/customers" />
        </label>
        <label>
          Delay of a latency, in ms
          <input type="number" name="ms" min="0" placeholder="1000" />
        </label>
        <label class="check">
          <input type="checkbox" name="all" value="1" /> All merchants
        </label>
      </PostForm>
    </Panel>
  )
}
