import type { CollectionMethod } from '../../core/collection-method.ts'
import type { Coupon } from '../../core/coupon.ts'
import type { CreditNote } from '../../core/credit-note.ts'
import type { Customer } from '../../core/customer.ts'
import { assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { Meter } from '../../core/meter.ts'
import type { PaymentIntent } from '../../core/payment-intent.ts'
import type { PendingUpdate } from '../../core/pending-update.ts'
import type { PortalConfiguration } from '../../core/portal-configuration.ts'
import type { PortalSession } from '../../core/portal-session.ts'
import type { Price, Product } from '../../core/price.ts'
import type { PromotionCode } from '../../core/promotion-code.ts'
import type { Refund } from '../../core/refund.ts'
import type { SetupIntent } from '../../core/setup-intent.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { EndBehavior, SubscriptionSchedule } from '../../core/subscription-schedule.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { createCoupon } from './coupon.ts'
import { createCreditNote } from './credit-note.ts'
import { createCustomer, updateCustomer } from './customer.ts'
import { createInvoice, finalizeInvoice } from './invoice.ts'
import { createInvoiceItem } from './invoice-item.ts'
import { createMeter, meterNamed } from './meter.ts'
import { createPaymentIntent } from './payment-intent.ts'
import { createConfiguration } from './portal-configuration.ts'
import { createPortalSession } from './portal-session.ts'
import { createPrice, createProduct } from './price.ts'
import { createPromotionCode } from './promotion-code.ts'
import { createRefund } from './refund.ts'
import { createSetupIntent } from './setup-intent.ts'
import { createSubscription, type SubscriptionParams } from './subscription.ts'
import { createSchedule } from './subscription-schedule.ts'
import { updateSubscription } from './subscription-update.ts'

const CURRENCY = 'usd'
const AMOUNT = 2_000

/** Creates the objects of triggers with the use cases of the API; the metadata of each names the trigger. */
export class TriggerObjects {
  readonly unit: UnitOfWork
  /** Names the trigger. */
  readonly metadata: Readonly<Record<string, string>>

  constructor(unit: UnitOfWork, type: string) {
    this.unit = unit
    this.metadata = { triggered: type }
  }

  customer(): Customer {
    return createCustomer(this.unit, {
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      metadata: this.metadata,
    })
  }

  coupon(): Coupon {
    return createCoupon(this.unit, { percent_off: 10, duration: 'forever', metadata: this.metadata })
  }

  promotionCode(): PromotionCode {
    return createPromotionCode(this.unit, { coupon: this.coupon().public_id, metadata: this.metadata })
  }

  /** Creates a setup intent, and confirms it if it gets a payment method. */
  setup(payment_method?: string): SetupIntent {
    const customer = this.customer().id
    const given = {
      customer,
      payment_method,
      confirm: payment_method !== undefined,
      metadata: this.metadata,
    }
    return createSetupIntent(this.unit, given).intent
  }

  portalConfiguration(): PortalConfiguration {
    const features = { invoice_history: { enabled: true } }
    return createConfiguration(this.unit, { features, metadata: this.metadata })
  }

  portalSession(): PortalSession {
    return createPortalSession(this.unit, {
      customer: this.customer().id,
      configuration: this.portalConfiguration().id,
    })
  }

  /** Creates a customer with a discount. */
  discountedCustomer(): Customer {
    return updateCustomer(this.unit, this.customer().id, { coupon: this.coupon().public_id })
  }

  product(): Product {
    return createProduct(this.unit, { name: 'Triggered product', metadata: this.metadata })
  }

  /** Creates a meter. A further one has the number of the first free name. */
  meter(): Meter {
    const { unit } = this
    const name = (number: number): string => {
      const event_name = number === 1 ? 'triggered_usage' : `triggered_usage_${number}`
      return meterNamed(unit, event_name) ? name(number + 1) : event_name
    }
    return createMeter(unit, {
      display_name: 'Triggered meter',
      event_name: name(1),
      default_aggregation: { formula: 'sum' },
    })
  }

  price(): Price {
    return createPrice(this.unit, {
      unit_amount: AMOUNT,
      currency: CURRENCY,
      recurring: { interval: 'month', interval_count: 1 },
      nickname: 'Triggered price',
      metadata: this.metadata,
    })
  }

  /** Creates a new customer's monthly subscription; the card determines the first payment. */
  subscription(card = 'pm_card_visa', given: Partial<SubscriptionParams> = {}): Subscription {
    return createSubscription(this.unit, {
      customer: this.customer().id,
      currency: CURRENCY,
      items: [{ price: this.price().id, quantity: 1 }],
      default_payment_method: card,
      payment_behavior: 'allow_incomplete',
      collection_method: 'charge_automatically',
      missing_payment_method: 'create_invoice',
      metadata: this.metadata,
      ...given,
    })
  }

  /** Creates a subscription in its trial. */
  trial(): Subscription {
    return this.subscription('pm_card_visa', { trial_period_days: 14 })
  }

  /** Creates a subscription whose trial ends in a pause: there is no card to charge. */
  unpayableTrial(): Subscription {
    return this.subscription('pm_card_visa', {
      default_payment_method: undefined,
      missing_payment_method: 'pause',
      trial_period_days: 14,
    })
  }

  /** Creates a subscription with an update that waits for its payment. */
  pendingUpdate(): PendingUpdate {
    const { id, items } = this.subscription()
    updateSubscription(this.unit, id, { default_payment_method: this.decliningCard })
    const { pending_update } = updateSubscription(this.unit, id, {
      items: items.map((item) => ({ id: item.id, quantity: 2 })),
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    })
    assert(pending_update, 'an update whose payment fails is pending')
    return pending_update
  }

  /** Creates a new customer's schedule of one month, which starts now. */
  schedule(end_behavior: EndBehavior = 'release'): SubscriptionSchedule {
    const price = this.price().id
    return createSchedule(this.unit, {
      customer: this.customer().id,
      start_date: 'now',
      phases: [{ items: [{ price, quantity: 1 }], iterations: 1, default_payment_method: 'pm_card_visa' }],
      end_behavior,
      metadata: this.metadata,
    })
  }

  /** A card that can be attached, and is declined when it is charged. */
  get decliningCard(): string {
    return this.unit.rules.checksAttachedCard ? 'pm_card_chargeCustomerFail' : 'pm_card_chargeDeclined'
  }

  /** Creates a manual draft. */
  draftInvoice(collection_method: CollectionMethod = 'charge_automatically'): Invoice {
    const customer = this.customer().id
    createInvoiceItem(this.unit, { customer, amount: AMOUNT, currency: CURRENCY, quantity: 1 })
    return createInvoice(this.unit, {
      customer,
      collection_method,
      metadata: this.metadata,
    })
  }

  openInvoice(): Invoice {
    return finalizeInvoice(this.unit, this.draftInvoice().id)
  }

  /** Credits half of an open invoice. */
  creditNote(): CreditNote {
    const invoice = this.openInvoice().id
    return createCreditNote(this.unit, { invoice, amount: AMOUNT / 2, metadata: this.metadata })
  }

  /** Creates an open invoice with a due date. */
  sentInvoice(): Invoice {
    return finalizeInvoice(this.unit, this.draftInvoice('send_invoice').id)
  }

  /** Creates a new customer's intent; with a card it is confirmed at once. */
  intent(card?: string): PaymentIntent {
    return createPaymentIntent(this.unit, {
      amount: AMOUNT,
      currency: CURRENCY,
      customer: this.customer().id,
      payment_method: card,
      confirm: card !== undefined,
      metadata: this.metadata,
    }).intent
  }

  /** Creates a charge that is disputed at once. Returns the id of the dispute. */
  dispute(): string {
    const { latest_charge } = this.intent('pm_card_createDispute')
    const { dispute } = this.unit.need('charge', latest_charge ?? '')
    assert(dispute !== null, 'the charge is disputed')
    return dispute
  }

  /** Creates a full refund of a charge to a card. */
  refund(card = 'pm_card_visa'): Refund {
    return createRefund(this.unit, { payment_intent: this.intent(card).id, metadata: this.metadata })
  }
}
