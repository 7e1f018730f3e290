import type { Dialect } from './dialect.ts'
import type { MailKind } from './mail-kinds.ts'
import { NO_NOTICES, type NoticeDays } from './notices.ts'
import type { CardNames } from './test-card.ts'

const SECONDS_PER_HOUR = 3_600

/**
 * The facts in which the billing of the dialects differs. A rule branches on one of these facts, never on the name of a
 * dialect. See docs/contract/operator.md#dialects.
 */
export type Rules = {
  /** Whether a subscription names its newest invoice before one of its invoices is paid. */
  readonly namesUnpaidInvoice: boolean
  /** Whether the first invoice is charged at once with the payment behavior default_incomplete. */
  readonly chargesDefaultIncomplete: boolean
  /** Whether a declined first payment is retried on the schedule. */
  readonly retriesFirstPayment: boolean
  /** The time in which a subscription must get its first payment, in seconds; null for its whole first period. */
  readonly incompleteSeconds: number | null
  /** The time for which the invoice of a renewal stays a draft, in seconds; null if it is finalized at once. */
  readonly draftSeconds: number | null
  /** The maximum time that a draft waits for the webhook endpoints to accept its invoice.created, in seconds. */
  readonly acceptanceSeconds: number
  /** Whether the period of an invoice is the one before the period of its lines. */
  readonly invoicesPastPeriod: boolean
  /** Whether an invoice of a subscription bills the customer's pending items that belong to no subscription. */
  readonly billsLooseItems: boolean
  /** Whether subscriptions and schedules of a customer must have one currency. */
  readonly billsOneCurrency: boolean
  /** Whether the start of a trial makes an invoice of zero, which is paid. */
  readonly billsTrialStart: boolean
  /** Whether a finalized invoice keeps showing its customer as of the finalization. */
  readonly keepsInvoicedCustomer: boolean
  /** Whether a lookup key belongs to one price. */
  readonly hasUniqueLookupKeys: boolean
  /** Whether a card that is declined cannot be attached to a customer. */
  readonly checksAttachedCard: boolean
  /** The known names of test cards. */
  readonly cardNames: CardNames
  /** Whether a subscription that has nothing to pay yet gets a setup intent for the payment method that it needs later. */
  readonly preparesPaymentMethod: boolean
  /**
   * Whether a test payment method is attached to the customer when an intent chooses it, rather than when a subscription is
   * paid with it.
   */
  readonly attachesChosenMethod: boolean
  /** Whether an invoice whose payment needs an authentication waits for a customer who is present, and emits an event of its own. */
  readonly waitsForAuthentication: boolean
  /** Whether an intent that waits for the customer can be confirmed again. */
  readonly confirmsAgain: boolean
  /** Whether a charge begins with the metadata of its intent. */
  readonly copiesIntentMetadata: boolean
  /** Whether an authentication that the customer fails makes a declined charge. */
  readonly chargesFailedAuthentication: boolean
  /** Whether a paid invoice also emits invoice.payment_succeeded. */
  readonly reportsPaymentTwice: boolean
  /** Whether the payment of an invoice has an event of its own. */
  readonly reportsInvoicePayments: boolean
  /** Whether a change of an invoice that no other event reports emits invoice.updated. */
  readonly reportsInvoiceUpdates: boolean
  /** Whether a subscription that is paused after its trial has an event of its own. */
  readonly reportsPauses: boolean
  /** Whether the intent of an invoice emits payment_intent.created, and payment_intent.canceled when the invoice is voided. */
  readonly reportsInvoiceIntents: boolean
  /** Whether test clocks have events. */
  readonly reportsTestClocks: boolean
  /** The notices of a new merchant. */
  readonly notices: NoticeDays
  /** The kinds of mail that are on for a new merchant; null if customers get no mail. */
  readonly mails: readonly MailKind[] | null
  /** Whether the retries of failed payments can be chosen. */
  readonly choosesRetries: boolean
  /** Whether an open invoice that was never attempted makes its customer delinquent. */
  readonly owesBeforeAttempt: boolean
  /** Whether a change of a customer's `delinquent` emits customer.updated. */
  readonly reportsDelinquency: boolean
}

const PAYTWIN_RULES: Rules = {
  namesUnpaidInvoice: false,
  chargesDefaultIncomplete: true,
  retriesFirstPayment: true,
  incompleteSeconds: null,
  draftSeconds: null,
  acceptanceSeconds: 0,
  invoicesPastPeriod: false,
  billsLooseItems: false,
  billsOneCurrency: false,
  billsTrialStart: false,
  keepsInvoicedCustomer: false,
  hasUniqueLookupKeys: false,
  checksAttachedCard: false,
  cardNames: 'own',
  preparesPaymentMethod: false,
  attachesChosenMethod: true,
  waitsForAuthentication: false,
  confirmsAgain: false,
  copiesIntentMetadata: false,
  chargesFailedAuthentication: true,
  reportsPaymentTwice: false,
  reportsInvoicePayments: false,
  reportsInvoiceUpdates: false,
  reportsPauses: false,
  reportsInvoiceIntents: false,
  reportsTestClocks: false,
  notices: NO_NOTICES,
  mails: null,
  choosesRetries: false,
  owesBeforeAttempt: true,
  reportsDelinquency: false,
}

const STRIPE_RULES: Rules = {
  namesUnpaidInvoice: true,
  chargesDefaultIncomplete: false,
  retriesFirstPayment: false,
  incompleteSeconds: 23 * SECONDS_PER_HOUR,
  draftSeconds: SECONDS_PER_HOUR,
  acceptanceSeconds: 72 * SECONDS_PER_HOUR,
  invoicesPastPeriod: true,
  billsLooseItems: true,
  billsOneCurrency: true,
  billsTrialStart: true,
  keepsInvoicedCustomer: true,
  hasUniqueLookupKeys: true,
  checksAttachedCard: true,
  cardNames: 'stripe',
  preparesPaymentMethod: true,
  attachesChosenMethod: false,
  waitsForAuthentication: true,
  confirmsAgain: true,
  copiesIntentMetadata: true,
  chargesFailedAuthentication: false,
  reportsPaymentTwice: true,
  reportsInvoicePayments: true,
  reportsInvoiceUpdates: true,
  reportsPauses: true,
  reportsInvoiceIntents: true,
  reportsTestClocks: true,
  notices: { ...NO_NOTICES, invoice_upcoming: 7, trial_will_end: 3 },
  mails: ['invoice'],
  choosesRetries: true,
  owesBeforeAttempt: false,
  reportsDelinquency: true,
}

/** The rules of each dialect. */
export const RULES: Readonly<Record<Dialect, Rules>> = { paytwin: PAYTWIN_RULES, stripe: STRIPE_RULES }
