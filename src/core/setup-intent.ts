import { invalidStateTransition, setupIntentUnexpectedState } from './errors.ts'
import type { MethodOptions } from './intent-options.ts'
import type { Metadata } from './metadata.ts'
import type { Outcome } from './processor.ts'
import { move, type Transitions } from './transitions.ts'

const SETUP_INTENT_STATUSES = [
  'requires_payment_method',
  'requires_confirmation',
  'requires_action',
  'succeeded',
  'canceled',
] as const
export type SetupIntentStatus = (typeof SETUP_INTENT_STATUSES)[number]

export type SetupIntentEvent = 'attach' | 'succeed' | 'fail' | 'require_action' | 'cancel'

/** See docs/contract/setup-intents.md#status. */
const SETUP_INTENT_TRANSITIONS: Transitions<SetupIntentStatus, SetupIntentEvent> = {
  requires_payment_method: { attach: 'requires_confirmation', cancel: 'canceled' },
  requires_confirmation: {
    attach: 'requires_confirmation',
    succeed: 'succeeded',
    fail: 'requires_payment_method',
    require_action: 'requires_action',
    cancel: 'canceled',
  },
  requires_action: {
    // A new confirmation replaces one that waits for the customer.
    attach: 'requires_confirmation',
    succeed: 'succeeded',
    fail: 'requires_payment_method',
    cancel: 'canceled',
  },
  succeeded: {},
  canceled: {},
}

/** The reason why the latest confirmation failed. */
type SetupError = {
  readonly code: string
  readonly decline_code: string | null
  readonly message: string
  readonly payment_method: string | null
}

/** A setup intent, which saves a payment method for later charges. See docs/contract/setup-intents.md. */
export type SetupIntent = {
  readonly id: string
  readonly created: number
  readonly status: SetupIntentStatus
  readonly customer: string | null
  readonly payment_method: string | null
  readonly usage: 'off_session' | 'on_session'
  readonly options: MethodOptions
  /** The subscription that it prepares; null for none. Not part of the API's object. */
  readonly subscription: string | null
  readonly last_setup_error: SetupError | null
  readonly cancellation_reason: string | null
  readonly description: string | null
  readonly metadata: Metadata
}

/** Creates a setup intent, which requires a payment method or is ready to be confirmed. */
export const newSetupIntent = (
  given: Pick<SetupIntent, 'id' | 'created' | 'customer' | 'payment_method' | 'options'> &
    Partial<SetupIntent>,
): SetupIntent => ({
  status: given.payment_method === null ? 'requires_payment_method' : 'requires_confirmation',
  usage: 'off_session',
  subscription: null,
  last_setup_error: null,
  cancellation_reason: null,
  description: null,
  metadata: {},
  ...given,
})

type StatusFacts = {
  /** Whether it waits for the customer to authenticate. */
  readonly awaitsCustomer: boolean
  /** Whether it has succeeded or was canceled. */
  readonly isFinished: boolean
  /** Whether it has succeeded. */
  readonly isSetUp: boolean
}

const OPEN: StatusFacts = { awaitsCustomer: false, isFinished: false, isSetUp: false }
const FINISHED: StatusFacts = { ...OPEN, isFinished: true }

/** The facts about each status. Other code reads these facts and does not compare statuses. */
const STATUS_FACTS: Readonly<Record<SetupIntentStatus, StatusFacts>> = {
  requires_payment_method: OPEN,
  requires_confirmation: OPEN,
  requires_action: { ...OPEN, awaitsCustomer: true },
  succeeded: { ...FINISHED, isSetUp: true },
  canceled: FINISHED,
}

/** Returns the facts about a setup intent's status. */
export const setupFactsOf = ({ status }: Pick<SetupIntent, 'status'>): StatusFacts => STATUS_FACTS[status]

/** Attaches a payment method to a setup intent, which is then ready to be confirmed. */
export const withSetupMethod = (intent: SetupIntent, payment_method: string): SetupIntent => ({
  ...intent,
  status: move(SETUP_INTENT_TRANSITIONS, intent.status, 'attach', refused(intent, 'be confirmed or changed')),
  payment_method,
})

/** Makes a setup intent wait for the customer to authenticate. */
export const awaitingAuthentication = (intent: SetupIntent): SetupIntent => ({
  ...intent,
  status: move(SETUP_INTENT_TRANSITIONS, intent.status, 'require_action', refused(intent, 'be confirmed')),
})

/** Records the outcome of a confirmation. A failed setup intent requires another payment method. */
export function setUp(intent: SetupIntent, outcome: Outcome): SetupIntent {
  if (outcome.approved) {
    const status = move(SETUP_INTENT_TRANSITIONS, intent.status, 'succeed', refused(intent, 'be confirmed'))
    return { ...intent, status, last_setup_error: null }
  }
  const { code, decline_code, message } = outcome
  return {
    ...intent,
    status: move(SETUP_INTENT_TRANSITIONS, intent.status, 'fail', refused(intent, 'be confirmed')),
    payment_method: null,
    last_setup_error: { code, decline_code, message, payment_method: intent.payment_method },
  }
}

/**
 * Cancels a setup intent.
 * @throws ApiError setup_intent_unexpected_state when it has succeeded or was canceled
 */
export const canceledSetup = (intent: SetupIntent, reason: string | null): SetupIntent => ({
  ...intent,
  status: move(SETUP_INTENT_TRANSITIONS, intent.status, 'cancel', refused(intent, 'be canceled')),
  cancellation_reason: reason,
})

const refused =
  ({ status }: SetupIntent, done: string) =>
  () =>
    setupIntentUnexpectedState(`A setup intent whose status is ${status} cannot ${done}`)

/** Checks that a setup intent waits for the customer. @throws ApiError invalid_state_transition */
export function checkAwaitsAuthentication(intent: SetupIntent): void {
  if (!setupFactsOf(intent).awaitsCustomer)
    throw invalidStateTransition(
      `Only a setup intent that requires action can be settled, but its status is ${intent.status}`,
    )
}
