/** @jsxImportSource hono/jsx */
import type { FEEDBACK, FeedbackParam } from '../../../../core/cancellation-feedback.ts'
import { parameterInvalid } from '../../../../core/errors.ts'
import { whyNotCancelable } from '../../../../core/portal-permissions.ts'
import type { Subscription } from '../../../../core/subscription.ts'
import { isInTrial } from '../../../../core/subscription-status.ts'
import { cancelInPortal, isCanceledLater } from '../../../../engine/resources/portal-actions.ts'
import { hasCardNumber } from '../card-entry.ts'
import { enteredText } from '../entered-text.ts'
import { Token } from '../form-token.tsx'
import { Day, stepPage } from './parts.tsx'
import { PlanName } from './plan-name.tsx'
import {
  checkToken,
  finish,
  type Portal,
  type PortalRequest,
  subscriptionOf,
  subscriptionState,
  tokenOf,
} from './portal.ts'

type Reason = (typeof FEEDBACK)[number]

/** The reasons that the customer can choose. Source: the texts of Stripe's portal. */
const REASONS: Readonly<Record<Reason, string>> = {
  customer_service: 'Customer service was less than expected',
  low_quality: 'Quality was less than expected',
  missing_features: 'I need more features',
  other: 'Other reason',
  switched_service: 'I found an alternative',
  too_complex: 'Ease of use was less than expected',
  too_expensive: 'It is too expensive',
  unused: 'I no longer need it',
}

const MAX_COMMENT = 500

/** The subscription, and the settings that decide the time, the credit and the offered reasons. */
const cancelState = ({ configuration: { features } }: Portal, subscription: Subscription) =>
  ['cancel', subscriptionState(subscription), features.subscription_cancel] as const

/** Shows the effect of a cancellation, and asks for the reason. */
export function cancelPage(portal: Portal, { id, given, alert }: PortalRequest): Response {
  const subscription = subscriptionOf(portal, id)
  const { features } = portal.configuration
  const { mode, proration_behavior, cancellation_reason } = features.subscription_cancel
  const why = whyNotCancelable(subscription, features)
  if (why !== null)
    return stepPage(portal, { title: 'Cancel subscription', alert: alert ?? why, content: null })
  const isLater = isCanceledLater(subscription, mode)
  return stepPage(portal, {
    title: 'Cancel subscription',
    alert,
    content: (
      <form method="post">
        <Token value={tokenOf(portal, cancelState(portal, subscription))} />
        <p>
          <PlanName portal={portal} subscription={subscription} />{' '}
          {isLater ? (
            <>
              stays available until <Day at={subscription.current_period_end} />,{' '}
              {isInTrial(subscription) ? 'the end of the trial' : 'the end of the period'}. Then it is
              canceled.
            </>
          ) : (
            'is canceled immediately.'
          )}
        </p>
        {!isLater && proration_behavior !== 'none' && !isInTrial(subscription) ? (
          <p>The unused time is credited to you.</p>
        ) : null}
        {cancellation_reason.enabled ? (
          <Questions reasons={cancellation_reason.options} given={given} />
        ) : null}
        <button type="submit" class="primary">
          Confirm
        </button>
      </form>
    ),
  })
}

/** Lists reasons as they are offered, and the other one last. */
const listed = (reasons: readonly Reason[]): readonly Reason[] => [
  ...reasons.filter((reason) => reason !== 'other'),
  ...reasons.filter((reason) => reason === 'other'),
]

const Questions = ({ reasons, given }: { reasons: readonly Reason[]; given: URLSearchParams }) => (
  <>
    {reasons.length === 0 ? null : (
      <fieldset class="field">
        <legend>Why are you canceling? (optional)</legend>
        {listed(reasons).map((reason) => (
          <label class="check">
            <input type="radio" name="reason" value={reason} checked={given.get('reason') === reason} />
            <span>{REASONS[reason]}</span>
          </label>
        ))}
      </fieldset>
    )}
    <div class="field">
      <label for="comment">Comment (optional)</label>
      <input
        id="comment"
        name="comment"
        type="text"
        autocomplete="off"
        maxlength={MAX_COMMENT}
        value={hasCardNumber(given.get('comment') ?? '') ? '' : (given.get('comment') ?? '')}
      />
    </div>
  </>
)

/** Cancels a subscription, now or at the end of its period. */
export function submitCancel(portal: Portal, { id, given }: PortalRequest): Response {
  const subscription = subscriptionOf(portal, id)
  const { features } = portal.configuration
  checkToken(portal, given, cancelState(portal, subscription))
  const why = whyNotCancelable(subscription, features)
  if (why !== null) throw parameterInvalid(null, why)
  cancelInPortal(portal.unit, subscription, features.subscription_cancel, feedbackIn(portal, given))
  return finish(portal, noticeOf(portal, subscription))
}

const noticeOf = ({ configuration: { features } }: Portal, subscription: Subscription): string =>
  isCanceledLater(subscription, features.subscription_cancel.mode) ? 'canceled_later' : 'canceled'

/** @throws ApiError parameter_invalid for a reason that is not offered */
function feedbackIn({ configuration }: Portal, form: URLSearchParams): FeedbackParam | undefined {
  const { enabled, options } = configuration.features.subscription_cancel.cancellation_reason
  if (!enabled) return undefined
  const chosen = form.get('reason')
  const feedback = options.find((reason) => reason === chosen)
  if (chosen !== null && feedback === undefined)
    throw parameterInvalid('reason', 'The portal does not offer this reason')
  const comment = enteredText(form, 'comment', MAX_COMMENT)
  if (hasCardNumber(comment))
    throw parameterInvalid('comment', 'The comment looks like the number of a card, so it was not stored')
  return { feedback, comment: comment || undefined }
}
