import { cancel } from '../../core/billing/cancel.ts'
import { abort } from '../../core/billing/schedule.ts'
import { Change } from '../../core/change.ts'
import { type Contact, NO_CONTACT } from '../../core/contact.ts'
import type { Customer } from '../../core/customer.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { apply } from '../machine/apply.ts'
import type { Clock } from '../machine/clock.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadEndingAccount } from './account.ts'
import { type CustomerDiscountParams, endDiscount, withDiscount } from './discount.ts'
import { oneByOne } from './one-by-one.ts'
import { paymentMethodOf } from './payment-method.ts'

/** undefined leaves a field unchanged. */
export type CustomerParams = CustomerDiscountParams & {
  email?: string | null | undefined
  name?: string | null | undefined
  description?: string | null | undefined
  metadata?: MetadataParam | undefined
  invoice_prefix?: string | undefined
  /** The parts that change. */
  contact?: Partial<Contact> | undefined
  invoice_settings?: { default_payment_method?: string | null | undefined } | undefined
}

/** A customer keeps the clock on which it was created. */
export type NewCustomerParams = CustomerParams & { test_clock?: string | undefined }

const INVOICE_PREFIX_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const DEFAULT_METHOD = 'invoice_settings[default_payment_method]'

/**
 * Creates a customer.
 * @throws ApiError resource_missing, parameter_invalid. See docs/contract/customers.md#customers.
 */
export function createCustomer(unit: UnitOfWork, params: NewCustomerParams): Customer {
  const clock =
    params.test_clock === undefined
      ? unit.merchant.clock
      : unit.free(unit.merchant.testClocks.named(params.test_clock, 'test_clock'))
  const id = unit.idFor('customer')
  const change = new Change()
  const blank: Customer = {
    id,
    created: clock.instant,
    email: null,
    name: null,
    description: null,
    metadata: {},
    default_payment_method: null,
    invoice_prefix: unit.ids.derived(`invoice prefix ${id}`, 8, INVOICE_PREFIX_ALPHABET),
    next_invoice_number: 1,
    delinquent: false,
    balances: {},
    discount: null,
    test_clock: params.test_clock ?? null,
    deleted: false,
    contact: null,
  }
  const attaching = new Change()
  const given = withParams(unit, attaching, blank, params)
  const customer = change.createWith('customer', given, 'customer.created', attaching)
  apply(unit, change, clock)
  return customer
}

/** Updates a customer. @throws ApiError resource_missing. See docs/contract/customers.md#customers. */
export function updateCustomer(unit: UnitOfWork, id: string, params: CustomerParams): Customer {
  const customer = unit.find('customer', id)
  const change = new Change()
  const after = withParams(unit, change, customer, params)
  const isSame = isSameJson(after, customer)
  if (!isSame) change.update('customer', customer, () => after, 'customer.updated')
  apply(unit, change, unit.clockOf(customer.test_clock))
  return after
}

function withParams(unit: UnitOfWork, change: Change, customer: Customer, params: CustomerParams): Customer {
  const { email, name, description, metadata, invoice_prefix, invoice_settings, contact } = params
  if (invoice_prefix !== undefined) checkPrefix(unit, customer, invoice_prefix)
  const method = invoice_settings?.default_payment_method
  const default_payment_method =
    method && paymentMethodOf(unit, change, customer, { id: method, param: DEFAULT_METHOD }).id
  return {
    ...withDiscount(unit, change, customer, params),
    ...(email !== undefined && { email }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(invoice_prefix !== undefined && { invoice_prefix }),
    ...(contact && { contact: { ...NO_CONTACT, ...customer.contact, ...contact } }),
    ...(default_payment_method !== undefined && { default_payment_method: default_payment_method || null }),
    metadata: mergeMetadata(customer.metadata, metadata),
  }
}

/**
 * @throws ApiError parameter_invalid, param invoice_prefix, when another customer uses it: invoice numbers are unique.
 */
function checkPrefix(unit: UnitOfWork, { id }: Customer, prefix: string): void {
  const [holder] = unit.store.objects.list(
    'customer',
    unit.owner,
    [{ field: 'invoice_prefix', is: prefix }],
    { limit: 1 },
  )
  if (holder && holder.id !== id) {
    throw parameterInvalid('invoice_prefix', `The invoice prefix '${prefix}' is in use by another customer`)
  }
}

/**
 * Deletes a customer and cancels its subscriptions at once.
 * @throws ApiError resource_missing
 * See docs/contract/customers.md#deleting-a-customer.
 */
export function deleteCustomer(unit: UnitOfWork, id: string): Customer {
  const customer = unit.find('customer', id)
  const clock = unit.clockOf(customer.test_clock)
  const running = unit.store.objects.idsOfPresentSubscriptions(id)
  // Each cancellation is written before the next decision, which reads the outstanding invoices.
  for (const subscription of oneByOne(unit, 'subscription', running)) {
    const account = loadEndingAccount(unit, subscription)
    const ending = new Change()
    cancel(ending, account, subscription, 'cancellation_requested', account.now)
    apply(unit, ending, clock)
  }
  abortWaiting(unit, id, clock)
  const change = new Change()
  const { discount } = unit.need('customer', id)
  if (discount !== null) endDiscount(change, unit.need('discount', discount))
  const deleted = change.update(
    'customer',
    unit.need('customer', id),
    (latest) => ({ ...latest, discount: null, deleted: true }),
    'customer.deleted',
  )
  apply(unit, change, clock)
  return deleted
}

/** Aborts the schedules of a customer that have not started. Those with a subscription have ended with it. */
function abortWaiting(unit: UnitOfWork, customer: string, clock: Clock): void {
  const waiting = unit.store.objects.idsOfWaitingSchedules(customer)
  for (const schedule of oneByOne(unit, 'subscription_schedule', waiting)) {
    const change = new Change()
    abort(change, schedule, clock.instant)
    apply(unit, change, clock)
  }
}
