import type { Kind, Objects } from '../core/kinds.ts'
import { whyCheckoutSession } from './checkout-session.ts'
import type { Facts } from './facts.ts'
import { whyInvoice } from './invoice.ts'
import { whyDispute, whyPaymentIntent, whySetupIntent } from './payment.ts'
import { whySchedule } from './schedule.ts'
import type { Sentence } from './sentence.ts'
import { whySubscription } from './subscription.ts'

/** The explanations, by the kind of object. */
const EXPLAIN = {
  subscription: whySubscription,
  invoice: whyInvoice,
  payment_intent: whyPaymentIntent,
  setup_intent: whySetupIntent,
  subscription_schedule: whySchedule,
  dispute: whyDispute,
  checkout_session: whyCheckoutSession,
} as const satisfies { readonly [K in Kind]?: (object: Objects[K], facts: Facts) => Sentence[] }

/** The kinds of objects that can be explained. */
export type ExplainedKind = keyof typeof EXPLAIN

/** Explains why an object is in its status, and what will happen to it, in sentences with links to the contract. */
export const why = <K extends ExplainedKind>(kind: K, object: Objects[K], facts: Facts): Sentence[] =>
  (EXPLAIN[kind] as (object: Objects[K], facts: Facts) => Sentence[])(object, facts)
