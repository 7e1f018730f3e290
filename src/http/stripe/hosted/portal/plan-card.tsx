/** @jsxImportSource hono/jsx */
import { isRenewable, whyNotCancelable, whyNotUpdatable } from '../../../../core/portal-permissions.ts'
import { cancellationAt, type Subscription } from '../../../../core/subscription.ts'
import { nextPhase } from '../../../../core/subscription-schedule.ts'
import { factsOf, isInTrial } from '../../../../core/subscription-status.ts'
import { nextInvoice } from '../../../../engine/machine/jobs.ts'
import { asPreview } from '../../../../engine/resources/next-invoice.ts'
import { pricesOf } from '../../../../engine/resources/portal-session.ts'
import { amountText } from '../amount.ts'
import { Token } from '../form-token.tsx'
import { quantityText, unitText } from '../price-text.ts'
import { Day } from './parts.tsx'
import { planNames } from './plan-name.tsx'
import { unauthenticatedPayment } from './plan-payment.ts'
import { type Portal, subscriptionState, tokenOf } from './portal.ts'
import { nameOf } from './texts.ts'
import { canKeepPlan } from './withdraw.ts'

/** Shows a subscription: its prices, its status, its next invoice, and its actions. */
export function PlanCard({ portal, subscription }: { portal: Portal; subscription: Subscription }) {
  const { id, items } = subscription
  const label = `plan-${id}`
  return (
    <li class="plan">
      <div>
        <h3 id={label}>
          {planNames(portal, subscription)} <StatusChip subscription={subscription} />
        </h3>
        {items.map(({ price: priceId, quantity }) => {
          const price = portal.view.withoutMetadata('price', priceId)
          return price ? (
            <p>
              {items.length > 1 ? `${nameOf(portal.view, price)}: ` : ''}
              {quantityText(price, quantity)}
            </p>
          ) : null
        })}
        <Outlook portal={portal} subscription={subscription} />
        <Actions portal={portal} subscription={subscription} label={label} />
      </div>
    </li>
  )
}

function StatusChip({ subscription }: { subscription: Subscription }) {
  const { status } = subscription
  if (cancellationAt(subscription) !== null) return <span class="status wait">Cancels</span>
  if (isInTrial(subscription)) return <span class="status wait">Trial</span>
  const { isPaidUp, isOverdue } = factsOf(subscription)
  const text = `${status.charAt(0).toUpperCase()}${status.slice(1).replaceAll('_', ' ')}`
  return <span class={`status ${isPaidUp ? 'good' : isOverdue ? 'bad' : 'wait'}`}>{text}</span>
}

/** Says what happens next: the cancellation, the end of the trial, a retry, the next phase and the next invoice. */
function Outlook({ portal, subscription }: { portal: Portal; subscription: Subscription }) {
  const { unit, view } = portal
  const { trial_end, latest_invoice, schedule, pending_update } = subscription
  const end = cancellationAt(subscription)
  const phase = schedule === null ? undefined : nextPhase(unit.need('subscription_schedule', schedule))
  const changed = view.withoutMetadata('price', phase?.items[0]?.price ?? '')
  const found = nextInvoice(unit, subscription.id)
  const next = found && asPreview(unit, found, false)
  const open =
    factsOf(subscription).isOverdue && latest_invoice !== null && view.get('invoice', latest_invoice)
  const retry = open ? open.next_payment_attempt : null
  return (
    <>
      {end === null ? null : (
        <p>
          Your subscription will be canceled on <Day at={end} />.
        </p>
      )}
      {isInTrial(subscription) && trial_end !== null ? (
        <p>
          Your trial ends on <Day at={trial_end} />.
        </p>
      ) : null}
      {open ? (
        <p>
          A payment of <strong>{amountText(open.amount_due - open.amount_paid, open.currency)}</strong>{' '}
          failed.
          {retry === null ? (
            ' Pay it below.'
          ) : (
            <>
              {' '}
              Update your card or pay below: it is tried again on <Day at={retry} />.
            </>
          )}
        </p>
      ) : null}
      {pending_update === null ? null : (
        <p>Your change of plan waits for its payment. Until it is paid, your plan stays as it is.</p>
      )}
      {phase && changed ? (
        <p>
          Your plan changes to {nameOf(view, changed)}, {unitText(changed)}, on <Day at={phase.start_date} />.
        </p>
      ) : null}
      {next ? (
        <p>
          Next invoice: <strong>{amountText(next.amount_due, next.currency)}</strong> on{' '}
          <Day at={next.created} />
        </p>
      ) : null}
    </>
  )
}

function Actions({
  portal,
  subscription,
  label,
}: {
  portal: Portal
  subscription: Subscription
  label: string
}) {
  const { features } = portal.configuration
  const path = `${portal.path}/subscriptions/${subscription.id}`
  const isUpdatable = whyNotUpdatable(subscription, pricesOf(portal.unit, subscription), features) === null
  const isCancelable = whyNotCancelable(subscription, features) === null
  const renews = isRenewable(subscription, features)
  const keeps = canKeepPlan(portal, subscription)
  const authenticates = unauthenticatedPayment(portal, subscription) !== undefined
  if (!isUpdatable && !isCancelable && !renews && !keeps && !authenticates) return null
  return (
    <div class="actions">
      {isUpdatable ? (
        <a class="button" href={`${path}/update`} aria-describedby={label}>
          Update plan
        </a>
      ) : null}
      {authenticates ? (
        <a class="button" href={`${path}/update`} aria-describedby={label}>
          Authenticate payment
        </a>
      ) : null}
      {isCancelable ? (
        <a class="button" href={`${path}/cancel`} aria-describedby={label}>
          Cancel subscription
        </a>
      ) : null}
      {keeps ? (
        <form method="post" action={`${path}/keep`}>
          <Token value={tokenOf(portal, ['keep', subscriptionState(subscription)])} />
          <button type="submit" aria-describedby={label}>
            Keep current plan
          </button>
        </form>
      ) : null}
      {renews ? (
        <form method="post" action={`${path}/renew`}>
          <Token value={tokenOf(portal, ['renew', subscriptionState(subscription)])} />
          <button type="submit" aria-describedby={label}>
            Renew subscription
          </button>
        </form>
      ) : null}
    </div>
  )
}
