/** @jsxImportSource hono/jsx */
import type { Invoice } from '../../../../core/invoice.ts'
import { isCorrection } from '../../../../core/item-proration.ts'
import { sumOf } from '../../../../core/money.ts'
import type { Plan } from '../../../../core/portal-permissions.ts'
import type { Subscription } from '../../../../core/subscription.ts'
import { isInTrial } from '../../../../core/subscription-status.ts'
import type { PlanPreview } from '../../../../engine/resources/portal-plan-change.ts'
import { amountText } from '../amount.ts'
import { lineText } from '../line-text.ts'
import { quantityText } from '../price-text.ts'
import { Day } from './parts.tsx'
import type { Portal } from './portal.ts'
import { nameOf } from './texts.ts'

type Shown = {
  readonly portal: Portal
  readonly subscription: Subscription
  readonly plan: Plan
  readonly preview: PlanPreview
}

/** Shows the new plan, the amount due now, and the next invoice. */
export function PlanPreviewRows({ portal, subscription, plan, preview }: Shown) {
  const { now, next, takesEffectAt } = preview
  const { price, quantity } = plan
  const { currency } = subscription
  const isBilledLater = !now && next?.lines.some(({ proration }) => isCorrection(proration))
  const billedNext = next && isBilledLater ? next : null
  return (
    <>
      <p>
        <strong>{nameOf(portal.view, price)}</strong>, {quantityText(price, quantity)}
      </p>
      {takesEffectAt === null ? null : (
        <p class="faint">
          The change takes effect on <Day at={takesEffectAt} />.
        </p>
      )}
      {takesEffectAt === null && isInTrial(subscription) && now ? (
        <p class="faint">The trial ends with this change.</p>
      ) : null}
      <ul class="rows">
        {now ? <Lines portal={portal} invoice={now} /> : null}
        <Row name="Due now" amount={amountText(now?.amount_due ?? 0, currency)} isTotal />
        {billedNext ? <Lines portal={portal} invoice={billedNext} /> : null}
        {next ? (
          <Row
            name={
              <>
                Next invoice on <Day at={next.created} />
              </>
            }
            amount={amountText(next.amount_due, currency)}
            isTotal={billedNext !== null}
          />
        ) : null}
      </ul>
    </>
  )
}

/** Shows the lines of an invoice, and the amounts by which the amount due differs from their sum. */
function Lines({ portal, invoice }: { portal: Portal; invoice: Invoice }) {
  const { lines, currency, total, amount_due } = invoice
  const off = total - sumOf(lines)
  const balance = amount_due - total
  return (
    <>
      {lines.map((line) => (
        <Row name={lineText(portal.view, invoice, line)} amount={amountText(line.amount, currency)} />
      ))}
      {off === 0 ? null : <Row name="Discounts" amount={amountText(off, currency)} />}
      {balance === 0 ? null : (
        <Row
          name={balance > 0 && (total >= 0 || amount_due > 0) ? 'Open balance' : 'Credit balance'}
          amount={amountText(balance, currency)}
        />
      )}
    </>
  )
}

const Row = ({ name, amount, isTotal = false }: { name: unknown; amount: string; isTotal?: boolean }) => (
  <li class={isTotal ? 'total' : undefined}>
    <span>{name}</span> <span class="number">{amount}</span>
  </li>
)
