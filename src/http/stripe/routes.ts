import type { StripeApi } from './api.ts'
import { accountRoutes } from './routes/account.ts'
import { balanceRoutes } from './routes/balance.ts'
import { balanceTransactionRoutes } from './routes/balance-transaction.ts'
import { catalogRoutes } from './routes/catalog.ts'
import { chargeRoutes } from './routes/charge.ts'
import { checkoutSessionRoutes } from './routes/checkout-session.ts'
import { couponRoutes } from './routes/coupon.ts'
import { creditNoteRoutes } from './routes/credit-note.ts'
import { customerRoutes } from './routes/customer.ts'
import { discountRoutes } from './routes/discount.ts'
import { disputeRoutes } from './routes/dispute.ts'
import { eventRoutes } from './routes/event.ts'
import { invoiceRoutes } from './routes/invoice.ts'
import { invoiceItemRoutes } from './routes/invoice-item.ts'
import { invoiceLineRoutes } from './routes/invoice-line.ts'
import { invoicePaymentRoutes } from './routes/invoice-payment.ts'
import { invoicePreviewRoutes } from './routes/invoice-preview.ts'
import { meterRoutes } from './routes/meter.ts'
import { meterEventRoutes } from './routes/meter-event.ts'
import { paymentIntentRoutes } from './routes/payment-intent.ts'
import { paymentMethodRoutes } from './routes/payment-method.ts'
import { planRoutes } from './routes/plan.ts'
import { portalConfigurationRoutes } from './routes/portal-configuration.ts'
import { portalSessionRoutes } from './routes/portal-session.ts'
import { promotionCodeRoutes } from './routes/promotion-code.ts'
import { scheduleRoutes } from './routes/schedule.ts'
import { setupIntentRoutes } from './routes/setup-intent.ts'
import { subscriptionRoutes } from './routes/subscription.ts'
import { subscriptionItemRoutes } from './routes/subscription-item.ts'
import { testClockRoutes } from './routes/test-clock.ts'
import { webhookEndpointRoutes } from './routes/webhook-endpoint.ts'

/** The routes of Stripe's API that paytwin knows, in the order of docs/stripe.md. */
export const STRIPE_ROUTES: readonly ((api: StripeApi) => void)[] = [
  catalogRoutes,
  planRoutes,
  couponRoutes,
  promotionCodeRoutes,
  customerRoutes,
  paymentMethodRoutes,
  paymentIntentRoutes,
  setupIntentRoutes,
  checkoutSessionRoutes,
  chargeRoutes,
  disputeRoutes,
  balanceRoutes,
  balanceTransactionRoutes,
  subscriptionRoutes,
  subscriptionItemRoutes,
  scheduleRoutes,
  discountRoutes,
  invoicePreviewRoutes,
  invoiceRoutes,
  invoiceLineRoutes,
  invoicePaymentRoutes,
  invoiceItemRoutes,
  creditNoteRoutes,
  meterRoutes,
  meterEventRoutes,
  portalConfigurationRoutes,
  portalSessionRoutes,
  eventRoutes,
  webhookEndpointRoutes,
  testClockRoutes,
  accountRoutes,
]
